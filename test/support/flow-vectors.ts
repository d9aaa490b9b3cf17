// The vectors of flows: graphs with what they fire, kickoffs, and what feedback becomes. Data alone, so that they can be run
// wherever a flow can be.
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { EngineError } from "../../src/base/error.ts";
import { and, or, race, type Condition } from "../../src/flow/condition.ts";
import type { BuiltFlow } from "../../src/flow/built-flow.ts";
import { defineFlow } from "../../src/flow/define-flow.ts";
import type { MethodDefinition } from "../../src/flow/flow-definition.ts";
import { scriptedModel, type ScriptedReply } from "../../src/llm/scripted/scripted-model.ts";
import * as z from "zod";
import type { FlowMethod } from "../../src/flow/flow-options.ts";

export type FlowVector = {
  readonly id: string;
  readonly says: string;
  readonly flow: BuiltFlow<never>;
  readonly inputs?: JsonObject;
  /** What people say, one after another. */
  readonly answers?: readonly string[];
  /** Methods in the order in which they begin; those joined by `|` in any order. */
  readonly fires?: string;
  readonly ended?: string;
  readonly value?: JsonValue;
  readonly state?: JsonObject;
  /** What methods were woken with. */
  readonly received?: JsonObject;
  /** The run fails, and its error says this. */
  readonly fails?: RegExp;
  readonly count?: number;
};

type Body = {
  /** Milliseconds until it ends. */
  readonly after?: number;
  readonly gives?: (call: number) => JsonValue;
  readonly throws?: boolean;
};
type Entry = readonly [name: string, definition: MethodDefinition, body?: Body];

const S = (name: string, body: Body = {}): Entry => [name, { start: true }, body];
const Sif = (start: Condition, name: string): Entry => [name, { start }];
const L = (listen: Condition, name: string, body: Body = {}): Entry => [name, { listen }, body];
const R = (listen: Condition, name: string, gives: NonNullable<Body["gives"]>): Entry => [
  name,
  { listen, router: true },
  { gives },
];
const Srouter = (name: string, gives: NonNullable<Body["gives"]>): Entry => [
  name,
  { start: true, router: true },
  { gives },
];
const always = (value: JsonValue) => () => value;
/** `first` for so many calls, then `then`. */
const times = (count: number, first: string, then: string) => (call: number) =>
  call <= count ? first : then;

/** A flow whose methods give their own name in capitals, unless told. */
function graph(id: string, entries: readonly Entry[]): BuiltFlow<never> {
  const methods = entries.map(
    ([name, definition, { after = 0, gives, throws = false } = {}]): [
      string,
      FlowMethod<Record<string, JsonValue>>,
    ] => [
      name,
      {
        ...definition,
        run: async ({ state, sleep }) => {
          const call = Number(state[name] ?? 0) + 1;
          state[name] = call;
          if (after > 0) await sleep("work", after);
          if (throws) throw new Error(`${name} failed`);
          return gives === undefined ? name.toUpperCase() : gives(call);
        },
      },
    ],
  );
  return defineFlow({ name: `vector-${id}`, methods: Object.fromEntries(methods) }) as never;
}

type Expected = Omit<FlowVector, "id" | "says" | "flow">;

function vector(
  [id, says]: readonly [string, string],
  entries: readonly Entry[],
  expected: Expected,
): FlowVector {
  return { id, says, flow: graph(id, entries), ...expected };
}

const siblings = [S("b"), R("b", "r1", always("left")), R("b", "r2", always("right"))];

export const GRAPH_VECTORS: readonly FlowVector[] = [
  vector(["FV1", "a chain"], [S("a"), L("a", "b"), L("b", "c")], { fires: "a b c", value: "C" }),
  vector(
    ["FV2", "and waits for both, and hears whichever ended last"],
    [S("a", { after: 20 }), S("b"), L(and("a", "b"), "j")],
    {
      fires: "a|b j",
      value: "J",
      received: { j: "A" },
    },
  ),
  vector(
    ["FV3", "or fires once, and hears the first"],
    [S("a", { after: 20 }), S("b"), L(or("a", "b"), "j")],
    {
      fires: "a|b j",
      received: { j: "B" },
    },
  ),
  vector(
    ["FV4", "the last method to end gives the result"],
    [S("a"), S("b", { after: 10 }), S("c", { after: 40 }), L(or("a", "b", "c"), "j")],
    { fires: "a|b|c j", value: "C" },
  ),
  vector(
    ["FV5", "an or that has fired is not fired again by what comes later"],
    [S("a"), L("a", "b"), L(or("a", "b"), "j")],
    {
      fires: "a b|j",
    },
  ),
  vector(["FV6", "an or over one is a plain name"], [S("a"), L("a", "b"), L(or("a"), "j")], {
    fires: "a b|j",
  }),
  vector(["FV7", "a name twice in an and is one"], [S("a"), L(and("a", "a"), "j")], {
    fires: "a j",
  }),
  vector(
    ["FV8", "a diamond"],
    [
      S("a"),
      L("a", "b", { after: 10 }),
      L("a", "c", { after: 30 }),
      L(and("b", "c"), "d"),
      L("d", "e"),
    ],
    { fires: "a b|c d e", value: "E" },
  ),
  vector(
    ["FV9", "and over an or"],
    [S("a"), S("b", { after: 10 }), S("c", { after: 40 }), L(and(or("a", "b"), "c"), "j")],
    { fires: "a|b|c j", received: { j: "C" } },
  ),
  vector(
    ["FV10", "or over ands fires once"],
    [
      S("a"),
      S("b", { after: 10 }),
      S("c", { after: 40 }),
      S("d", { after: 70 }),
      L(or(and("a", "b"), and("c", "d")), "j"),
    ],
    { fires: "a|b|c|d j", received: { j: "B" } },
  ),
  vector(
    ["FV11", "what stands under an and does not compete"],
    [
      S("a"),
      L("a", "x"),
      L("a", "y", { after: 10 }),
      L("a", "z", { after: 400 }),
      L(or(and("x", "y"), "z"), "j"),
    ],
    { fires: "a x|y|z j", ended: "a x y j z" },
  ),
  vector(
    ["FV12", "the slower producer of an or ends all the same"],
    [S("a"), L("a", "x"), L("a", "y", { after: 50 }), L(or("x", "y"), "j")],
    { fires: "a x|y j", ended: "a x j y" },
  ),
  vector(
    ["race", "in a race, what the slower one leads to is dropped"],
    [S("a"), L("a", "x"), L("a", "y", { after: 50 }), L(race("x", "y"), "j"), L("j", "k")],
    { fires: "a x|y j k", received: { j: "X" } },
  ),
  vector(
    ["FV13", "one that others wait for too does not compete"],
    [S("a"), L("a", "x"), L("a", "y", { after: 50 }), L(race("x", "y"), "j"), L("y", "k")],
    { fires: "a x|y j k" },
  ),
  vector(
    ["FV14", "a label wakes those that wait for it"],
    [S("a"), R("a", "r", always("yes")), L("yes", "y"), L("no", "n")],
    {
      fires: "a r y",
      value: "Y",
    },
  ),
  vector(
    ["FV15", "null is no label; the router's own name still is a trigger"],
    [S("a"), R("a", "r", always(null)), L("yes", "y"), L("r", "z"), L("a", "l")],
    { fires: "a r z l" },
  ),
  vector(
    ["FV16", "routers run before the listeners of the same trigger"],
    [S("a"), L("a", "l"), R("a", "r", always("go")), L("go", "g")],
    { fires: "a r l g" },
  ),
  vector(
    ["FV17", "the router's name before its label"],
    [S("a"), R("a", "r", always("go")), L("r", "l"), L("go", "g")],
    {
      fires: "a r l g",
    },
  ),
  vector(
    ["FV18", "the label of false is heard as False"],
    [S("a"), R("a", "r", always(false)), L("False", "x")],
    {
      fires: "a r x",
    },
  ),
  vector(
    ["FV19", "the label of a number is its text"],
    [S("a"), R("a", "r", always(7)), L("7", "x")],
    { fires: "a r x" },
  ),
  vector(["FV20", "an empty label wakes nobody"], [S("a"), R("a", "r", always("")), L("a", "l")], {
    fires: "a r l",
  }),
  vector(
    ["FV21", "a start that is a router"],
    [Srouter("a", always("ok")), L("a", "l"), L("ok", "o")],
    { fires: "a l o" },
  ),
  vector(
    ["FV22", "a loop"],
    [S("a"), L(or("a", "again"), "w"), R("w", "r", times(2, "again", "done")), L("done", "e")],
    { fires: "a w r w r w r e" },
  ),
  vector(
    ["FV23", "and forgets when it fires"],
    [
      S("a"),
      L(or("a", "again"), "x"),
      L("x", "y"),
      L(and("x", "y"), "j"),
      R("j", "r", times(2, "again", "done")),
      L("done", "e"),
    ],
    { fires: "a x y j r x y j r x y j r e" },
  ),
  vector(
    ["FV24", "a chain of labels does not fire an or twice in one wave"],
    [S("a"), R("a", "r1", always("A")), R("A", "r2", always("B")), L(or("A", "B"), "h")],
    { fires: "a r1 r2 h", received: { r1: "A", r2: "A" } },
  ),
  vector(
    ["FV25", "the labels of all siblings reach listeners"],
    [...siblings, L("left", "ll"), L("right", "rl")],
    {
      fires: "b r1 r2 ll rl",
    },
  ),
  vector(
    ["FV26", "the labels of all siblings reach routers"],
    [
      ...siblings,
      R("left", "lr", always("left_done")),
      R("right", "rr", always("right_done")),
      L("left_done", "ld"),
      L("right_done", "rd"),
    ],
    { fires: "b r1 r2 lr rr ld rd" },
  ),
  vector(
    ["FV27", "a label wakes a start that waits for it"],
    [S("a"), R("a", "r", always("go")), Sif("go", "s2"), L("s2", "t")],
    {
      fires: "a r s2 t",
    },
  ),
  vector(["FV28", "the end of a method does not"], [S("a"), Sif("a", "s2"), L("a", "b")], {
    fires: "a b",
  }),
  vector(
    ["FV29", "without any other start they are where the flow begins"],
    [Sif("x", "s1"), Sif("y", "s2"), L(and("s1", "s2"), "j")],
    {
      fires: "s1|s2 j",
    },
  ),
  vector(
    ["FV30", "a loop without end stops at the limit"],
    [Srouter("a", always("x")), L("x", "m"), R("m", "r", always("x"))],
    {
      count: 201,
      fails: /method m was woken more than 100 times/,
    },
  ),
  vector(
    ["FV31", "the first failure fails the flow, and nothing new begins"],
    [S("a"), L("a", "x", { throws: true }), L("a", "y", { after: 20 }), L("y", "z")],
    { fires: "a x|y", fails: /x failed/ },
  ),
  vector(
    ["FV33", "a cycle through a start that waits for a label"],
    [
      S("i"),
      R("i", "r0", always("loop")),
      Sif("loop", "c"),
      R("c", "cr", times(2, "loop", "exit")),
    ],
    { fires: "i r0 c cr c cr c cr" },
  ),
  vector(
    ["FV34", "a late label does not complete a branch that is stale"],
    [
      S("b"),
      L("b", "a"),
      L("b", "c"),
      L(and("a", "c"), "x"),
      L(or(and("a", "x"), and("c", "y")), "j"),
      R("j", "e", always("y")),
    ],
    { fires: "b a|c x j e" },
  ),
  vector(
    ["FV35", "a chain that begins at the start"],
    [Srouter("f", always("approved")), R("approved", "s", always("second")), L("second", "h")],
    { fires: "f s h", received: { h: "second" } },
  ),
];

const counting = defineFlow({
  name: "vector-kickoff-1",
  initial: { id: "1f", n: 1 },
  methods: { a: { start: true, run: ({ state }) => state["n"] ?? null } },
});
const typed = defineFlow({
  name: "vector-kickoff-2",
  state: z.object({ n: z.number().int() }),
  methods: { a: { start: true, run: ({ state }) => state.n } },
});

export const KICKOFF_VECTORS: readonly FlowVector[] = [
  {
    id: "kickoff-1",
    says: "inputs go over the initial state",
    flow: counting as never,
    inputs: { n: 2 },
    value: 2,
    state: { id: "1f", n: 2 },
  },
  {
    id: "kickoff-2",
    says: "inputs that do not fit the state are refused with their field",
    flow: typed as never,
    inputs: { n: "abc" },
    fails: /\/n: expected (?:int|number)/,
  },
];

const OUTCOMES = ["approved", "rejected", "needs_revision"];
const refusal = { error: new EngineError("model_rejected", "no such form") };
type Feedback = readonly [
  id: string,
  said: string,
  outcome: string | null,
  more?: {
    readonly replies?: readonly ScriptedReply[];
    readonly defaultOutcome?: string;
    readonly plain?: true;
  },
];

const FEEDBACK: readonly Feedback[] = [
  ["feedback-1", "", "rejected", { defaultOutcome: "rejected" }],
  ["feedback-2", "   ", "approved"],
  ["feedback-3", "ship it", "approved", { replies: ['{"outcome":"approved"}'] }],
  ["feedback-4", "hm", "rejected", { replies: ["REJECTED "] }],
  ["feedback-5", "hm", "needs_revision", { replies: [refusal, "I think needs_revision is right"] }],
  ["feedback-6", "hm", "needs_revision", { replies: [refusal, "approved or needs_revision"] }],
  ["feedback-7", "hm", "undecided", { replies: [refusal, "dunno"], defaultOutcome: "rejected" }],
  ["feedback-8", "hm", "undecided", { replies: [refusal, refusal] }],
  ["feedback-9", "hm", "undecided", { replies: ['{"foo":1}'] }],
  ["feedback-10", "nice", null, { plain: true }],
];

/** Those in which no model decides as we read its answers: CrewAI's rules hold for them where a flow asks for these. */
const UNDECIDED: ReadonlySet<string> = new Set([
  "feedback-6",
  "feedback-7",
  "feedback-8",
  "feedback-9",
]);

/** In each of them the method's name and its label are both heard, and the person's words by those of the label. */
export const FEEDBACK_VECTORS: readonly FlowVector[] = FEEDBACK.map(
  ([id, said, outcome, { replies = [], defaultOutcome, plain } = {}]): FlowVector => {
    const model = scriptedModel((request) => {
      const asksForForm = request.responseSchema !== undefined || request.tools !== undefined;
      return replies[asksForForm ? 0 : 1] ?? refusal;
    });
    const heard = OUTCOMES.map((label): [string, FlowMethod<Record<string, JsonValue>>] => [
      `on_${label}`,
      { listen: label, run: ({ value, state }) => void (state["heard"] = value ?? null) },
    ]);
    const flow = defineFlow({
      name: `vector-${id}`,
      ...(UNDECIDED.has(id) ? { compat: "crewai" } : undefined),
      methods: {
        draft: {
          start: true,
          humanFeedback: {
            message: "Good?",
            ...(plain === true ? undefined : { emit: OUTCOMES, llm: model }),
            ...(defaultOutcome === undefined ? undefined : { defaultOutcome }),
          },
          run: () => "the draft",
        },
        after: {
          listen: "draft",
          run: ({ value, state }) => void (state["after"] = value ?? null),
        },
        ...(plain === true ? undefined : Object.fromEntries(heard)),
      },
    });
    if (outcome === "undecided")
      return {
        id,
        says: `"${said}" fails the method`,
        flow: flow as never,
        answers: [said],
        fails: /: the feedback "hm" is none of approved, rejected, needs_revision/,
      };
    const result = { output: "the draft", feedback: said, outcome, methodName: "draft" };
    return {
      id,
      says: `"${said}" becomes ${String(outcome)}`,
      flow: flow as never,
      answers: [said],
      fires: outcome === null ? "draft after" : `draft after on_${outcome}`,
      state: outcome === null ? { after: result } : { after: outcome, heard: result },
    };
  },
);

export const FLOW_VECTORS: readonly FlowVector[] = [
  ...GRAPH_VECTORS,
  ...KICKOFF_VECTORS,
  ...FEEDBACK_VECTORS,
];
