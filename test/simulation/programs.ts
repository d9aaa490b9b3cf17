// Random programs, drawn and shrunk by fast-check.
import * as fc from "fast-check";
import { type Ending, type StepNode } from "./action.ts";
import { conversation, nodeName } from "./conversation-programs.ts";
import { eventsOver } from "./outside-events.ts";
import { crewHooks } from "./crew-hooks.ts";
import { flowsOver, racingFlows, waitingFlows } from "./flow-programs.ts";
import { childRunsOf, sizeOf, type ProgramNode } from "./program.ts";

const MAX_SIZE = 60;
const MAX_DEPTH = 5;

const ODD_NAMES = [
  "a/b",
  "task:ü#1",
  "名前 のキー",
  "😀",
  " spaced  out ",
  "%2F",
  "..",
  "\ud800",
  "x".repeat(90),
  "a\nb",
  "é".repeat(30),
];

const leafName = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("read", "write", "ask", "plan") },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_NAMES) },
);

const step: fc.Arbitrary<ProgramNode> = fc.record({
  type: fc.constant("step" as const),
  name: leafName,
  kind: fc.constantFrom("effect" as const, "tool" as const, "model" as const),
  ending: fc.oneof(
    { weight: 60, arbitrary: fc.constant("value" as const) },
    { weight: 6, arbitrary: fc.constant("error" as const) },
    { weight: 3, arbitrary: fc.constant("plain" as const) },
    { weight: 6, arbitrary: fc.constant("flaky" as const) },
    { weight: 3, arbitrary: fc.constant("hopeless" as const) },
    { weight: 4, arbitrary: fc.constant("away" as const) },
    { weight: 3, arbitrary: fc.constant("slow" as const) },
    { weight: 8, arbitrary: fc.constant("once" as const) },
    { weight: 1, arbitrary: fc.constantFrom("poison" as const, "poisonOnce" as const) },
  ),
  times: fc.integer({ min: 1, max: 2 }),
  ms: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(0, 1, 5, 5, 10, 20, 300) },
    { weight: 1, arbitrary: fc.constantFrom(2_000, 170_000, 600_000) },
  ),
  value: fc.oneof(
    { weight: 300, arbitrary: fc.constant("small" as const) },
    { weight: 60, arbitrary: fc.constantFrom("nothing" as const, "empty" as const) },
    { weight: 9, arbitrary: fc.constant("big" as const) },
  ),
});

const wait: fc.Arbitrary<ProgramNode> = fc.record({
  type: fc.constant("wait" as const),
  name: leafName,
  kind: fc.constantFrom("human" as const, "input" as const),
  dueMs: fc.constantFrom(null, null, 0, 5, 1_000, 60_000, 3 * 86_400_000, 40 * 86_400_000),
  otherwise: fc.boolean(),
});

const timer: fc.Arbitrary<ProgramNode> = fc.record({
  type: fc.constant("timer" as const),
  name: leafName,
  ms: fc.constantFrom(0, 1, 5, 700, 60_000, 86_400_000),
  until: fc.boolean(),
});
const event: fc.Arbitrary<ProgramNode> = eventsOver(leafName);
const instant: fc.Arbitrary<ProgramNode> = fc.record({
  type: fc.constantFrom("now" as const, "emit" as const),
  name: leafName,
});

const leaf: fc.Arbitrary<ProgramNode> = fc.oneof(
  { weight: 12, arbitrary: step },
  { weight: 3, arbitrary: wait },
  { weight: 1, arbitrary: timer },
  { weight: 1, arbitrary: event },
  { weight: 2, arbitrary: instant },
);

function nodes(depth: number): fc.Arbitrary<ProgramNode> {
  if (depth === 0) return leaf;
  const below = nodes(depth - 1);
  const body = fc.array(below, { minLength: 1, maxLength: 4 });
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 10, arbitrary: leaf },
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constantFrom(
          "sequence" as const,
          "sequence" as const,
          "parallel" as const,
          "parallel" as const,
          "race" as const,
          "race" as const,
        ),
        name: nodeName,
        body,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("try" as const),
        name: nodeName,
        body: below,
        rescue: below,
        last: fc.option(leaf, { freq: 2 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("loop" as const),
        name: nodeName,
        most: fc.integer({ min: 0, max: 3 }),
        body: below,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("hold" as const),
        name: nodeName,
        kind: fc.constantFrom("group" as const, "task" as const, "agent" as const),
        body: below,
      }),
    },
    { weight: 1, arbitrary: childrenOver(below, 3) },
    { weight: 1, arbitrary: conversation },
    { weight: 1, arbitrary: flowsOver(leaf, 4) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("tool" as const),
        name: nodeName,
        fails: fc.constantFrom(0, 1, 1, 2),
        body: below,
        more: fc.option(below, { freq: 2 }),
      }),
    },
  );
}

/** Child runs, up to `most`, that do what `body` draws. */
function childrenOver(body: fc.Arbitrary<ProgramNode>, most: number): fc.Arbitrary<ProgramNode> {
  return fc.record({
    type: fc.constant("children" as const),
    name: nodeName,
    body: fc.array(body, { minLength: 1, maxLength: most }),
    wants: fc.constantFrom("all" as const, "all" as const, "each" as const, "first" as const),
    answer: fc.constantFrom(
      "output" as const,
      "output" as const,
      "report" as const,
      "parts" as const,
    ),
    dueMs: fc.constantFrom(null, null, null, 0, 30, 2_000, 60_000),
    maxOutput: fc.constantFrom(null, null, null, 120),
  });
}

function plainStep(ending: Ending, ms: number): StepNode {
  return { type: "step", name: "read", kind: "tool", ending, times: 0, ms, value: "small" };
}

/** A step that kills its host, beside others that get on a little each time. */
const poisoned: fc.Arbitrary<ProgramNode> = fc
  .record({
    poisonMs: fc.integer({ min: 5, max: 40 }),
    others: fc.array(fc.constantFrom(1, 5, 10, 20), { minLength: 1, maxLength: 20 }),
  })
  .map(({ poisonMs, others }) => ({
    type: "parallel",
    name: "a",
    body: [
      plainStep("poison", poisonMs),
      { type: "sequence", name: "b", body: others.map((ms) => plainStep("value", ms)) },
    ],
  }));

/** A race in a tool that fails once it is over: tried again, it must come out the same. */
const racedAgain: fc.Arbitrary<ProgramNode> = fc
  .record({
    fails: fc.integer({ min: 1, max: 2 }),
    racers: fc.array(fc.constantFrom(1, 5, 10), { minLength: 2, maxLength: 3 }),
    more: leaf,
  })
  .map(({ fails, racers, more }): ProgramNode => {
    const race: ProgramNode = {
      type: "race",
      name: "b",
      body: racers.map((ms) => plainStep("value", ms)),
    };
    const body: ProgramNode = { type: "sequence", name: "a", body: [race, plainStep("value", 20)] };
    const rest: ProgramNode = { type: "sequence", name: "b", body: [more, plainStep("value", 5)] };
    return {
      type: "sequence",
      name: "a",
      body: [{ type: "tool", name: "a", fails, body, more: rest }],
    };
  });

/** Branches that wait for events, some of them for the same one, after a while or at once. */
export const eventPrograms: fc.Arbitrary<ProgramNode> = fc
  .record({
    type: fc.constantFrom("sequence" as const, "parallel" as const, "parallel" as const),
    branches: fc.array(
      fc.record({
        ms: fc.option(fc.constantFrom(0, 1, 5, 300), { freq: 2 }),
        heard: fc.array(event, { minLength: 1, maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ type, branches }) => ({
    type,
    name: "a",
    body: branches.map(({ ms, heard }) => ({
      type: "sequence",
      name: "b",
      body: ms === null ? heard : [plainStep("value", ms), ...heard],
    })),
  }));

/** A run that lives by its children: they take longer than it does, or it has something to do beside them. */
export const families: fc.Arbitrary<ProgramNode> = fc
  .record({
    type: fc.constantFrom("sequence" as const, "parallel" as const, "race" as const),
    name: nodeName,
    children: childrenOver(nodes(2), 4),
    rest: fc.array(leaf, { minLength: 0, maxLength: 2 }),
  })
  .map(({ type, name, children, rest }): ProgramNode => ({ type, name, body: [children, ...rest] }))
  .filter((program) => sizeOf(program) <= MAX_SIZE);

/** A run that is a conversation, alone or with something beside it. */
const conversations: fc.Arbitrary<ProgramNode> = fc
  .record({
    type: fc.constantFrom("sequence" as const, "parallel" as const),
    name: nodeName,
    first: conversation,
    rest: fc.array(fc.oneof(leaf, conversation), { minLength: 0, maxLength: 2 }),
  })
  .map(({ type, name, first, rest }): ProgramNode => ({ type, name, body: [first, ...rest] }));

const crew: fc.Arbitrary<ProgramNode> = fc.record({
  type: fc.constant("crew" as const),
  name: nodeName,
  tasks: fc.array(
    fc.record({
      ms: fc.constantFrom(0, 1, 5, 20),
      flaky: fc.constantFrom(false, false, true),
      away: fc.constantFrom(false, false, false, true),
      books: fc.boolean(),
      events: fc.integer({ min: 0, max: 3 }),
      refused: fc.constantFrom(0, 0, 0, 1, 2),
      breaks: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  hooks: crewHooks,
});

/** A run that is a crew, with something beside it. */
const crewPrograms: fc.Arbitrary<ProgramNode> = fc
  .record({
    type: fc.constantFrom("sequence" as const, "parallel" as const),
    name: nodeName,
    first: crew,
    rest: fc.array(leaf, { minLength: 0, maxLength: 2 }),
  })
  .map(({ type, name, first, rest }): ProgramNode => ({ type, name, body: [first, ...rest] }));

/** Crews whose tools emit events. */
export const emittingPrograms: fc.Arbitrary<ProgramNode> = crewPrograms.filter((program) =>
  JSON.stringify(program).includes('"books":true'),
);

/** What methods mostly do goes well: else few flows would come to their end. */
const methodBody: fc.Arbitrary<ProgramNode> = fc.oneof(
  { withCrossShrink: true },
  {
    weight: 3,
    arbitrary: fc.constantFrom(0, 1, 5, 20).map((ms): ProgramNode => plainStep("value", ms)),
  },
  { weight: 1, arbitrary: wait },
  { weight: 1, arbitrary: timer },
  { weight: 1, arbitrary: event },
  { weight: 1, arbitrary: nodes(1) },
  { weight: 1, arbitrary: childrenOver(leaf, 2) },
  { weight: 1, arbitrary: crew },
);

/** A run that is a flow, alone or with something beside it. */
export const flowPrograms: fc.Arbitrary<ProgramNode> = fc
  .record({
    type: fc.constantFrom("sequence" as const, "parallel" as const),
    name: nodeName,
    first: fc.oneof(
      { weight: 2, arbitrary: flowsOver(methodBody, 6) },
      { weight: 1, arbitrary: waitingFlows },
      { weight: 1, arbitrary: racingFlows(methodBody) },
    ),
    rest: fc.array(leaf, { minLength: 0, maxLength: 1 }),
  })
  .map(({ type, name, first, rest }): ProgramNode => ({ type, name, body: [first, ...rest] }))
  .filter((program) => sizeOf(program) <= MAX_SIZE);

/** The same by CrewAI's rules. */
export const crewaiFlowPrograms: fc.Arbitrary<ProgramNode> = flowPrograms.map((program) => {
  if (program.type !== "sequence" && program.type !== "parallel") return program;
  const body = program.body.map((node): ProgramNode =>
    node.type === "flow" ? { ...node, saves: false, restores: false, compat: true } : node,
  );
  return { ...program, body };
});

/** A program of 1 to 60 nodes, at most six deep; most have several steps one after the other or side by side. */
export const programs: fc.Arbitrary<ProgramNode> = fc.oneof(
  {
    weight: 40,
    arbitrary: fc
      .record({
        type: fc.constantFrom("sequence" as const, "sequence" as const, "parallel" as const),
        name: nodeName,
        body: fc.array(nodes(MAX_DEPTH - 1), { minLength: 1, maxLength: 6 }),
      })
      .filter((program) => sizeOf(program) <= MAX_SIZE),
  },
  { weight: 14, arbitrary: families },
  { weight: 2, arbitrary: poisoned },
  { weight: 3, arbitrary: racedAgain },
  { weight: 3, arbitrary: eventPrograms },
  { weight: 8, arbitrary: conversations },
  { weight: 13, arbitrary: flowPrograms },
  { weight: 3, arbitrary: crewPrograms },
);

/** Programs small enough to try every crash point. A child has as many of them as a run of its own. */
export const smallPrograms = programsUpTo(8);

/** Programs small enough to try every pair of crash points. */
export const tinyPrograms = programsUpTo(3);

function programsUpTo(size: number): fc.Arbitrary<ProgramNode> {
  return fc
    .record({
      type: fc.constantFrom("sequence" as const, "parallel" as const),
      name: nodeName,
      body: fc.array(nodes(2), { minLength: 1, maxLength: 4 }),
    })
    .filter((program) => sizeOf(program) + 3 * childRunsOf(program) <= size);
}
