// Random flows, drawn and shrunk by fast-check.
import * as fc from "fast-check";
import { flowHooks } from "./flow-hooks.ts";
import type { FlowNode, MethodNode, WakeNode } from "./flow.ts";
import type { Change } from "./flow-state.ts";
import type { ProgramNode } from "./program.ts";

const name = fc.nat({ max: 9 });
const wake: fc.Arbitrary<WakeNode> = fc.oneof(
  { withCrossShrink: true },
  { weight: 5, arbitrary: name },
  {
    weight: 2,
    arbitrary: fc.record({ all: fc.array(name, { minLength: 2, maxLength: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ any: fc.array(name, { minLength: 2, maxLength: 3 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ race: fc.array(name, { minLength: 2, maxLength: 3 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      any: fc.array(
        fc.oneof(name, fc.record({ all: fc.array(name, { minLength: 2, maxLength: 2 }) })),
        { minLength: 2, maxLength: 2 },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      all: fc.array(
        fc.oneof(name, fc.record({ any: fc.array(name, { minLength: 2, maxLength: 2 }) })),
        { minLength: 2, maxLength: 2 },
      ),
    }),
  },
);

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.constantFrom<Change>(
      "add",
      "count",
      "assign",
      "list",
      "note",
      "forget",
      "renote",
    ),
  },
  { weight: 1, arbitrary: fc.constant<Change>("unfit") },
);

/** Labels of a router by its turns: after a few it mostly gives none any more. */
const labels: fc.Arbitrary<MethodNode["labels"]> = fc
  .record({
    first: fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 3 }),
    last: fc.option(fc.nat({ max: 2 }), { freq: 4 }),
  })
  .map(({ first, last }) => [...first, last]);

function methodOver(body: fc.Arbitrary<ProgramNode>): fc.Arbitrary<MethodNode> {
  return fc.record({
    listens: fc.option(wake, { freq: 5 }),
    starts: fc.option(fc.nat({ max: 2 }), { freq: 2 }),
    labels: fc.option(labels, { freq: 2 }),
    changes: fc.array(change, { maxLength: 3 }),
    asks: rarely(fc.record({ dueSeconds: fc.constantFrom(null, 1, 60, 3 * 86_400) }), 10),
    works: fc.constantFrom(false, false, false, true),
    naps: rarely(fc.constantFrom(0, 1, 5, 700, 86_400_000), 8),
    body: fc.option(body, { freq: 3 }),
    review: rarely(
      fc.record({
        emits: fc.boolean(),
        fallback: fc.option(fc.nat({ max: 2 }), { freq: 2 }),
        dueSeconds: fc.constantFrom(null, null, 1, 60, 3 * 86_400),
      }),
      6,
    ),
  });
}

/** Flows in which methods begin while others work, and then wait: each drive that follows has to begin them as the first did. */
export const waitingFlows: fc.Arbitrary<FlowNode> = fc
  .record({
    name: fc.constantFrom("f", "g"),
    starts: fc.array(fc.constantFrom(5, 20, 300), { minLength: 2, maxLength: 3 }),
    waits: fc.array(
      fc.record({
        listens: fc.nat({ max: 2 }),
        asks: fc.boolean(),
        change: fc.constantFrom<Change>("count", "assign", "list", "note"),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ name: flow, starts, waits }) => ({
    type: "flow",
    name: flow,
    schema: false,
    saves: false,
    methods: [
      ...starts.map((ms): MethodNode => ({
        ...QUIET_METHOD,
        body: {
          type: "step",
          name: "read",
          kind: "tool",
          ending: "value",
          times: 0,
          ms,
          value: "small",
        },
      })),
      ...waits.map(({ listens, asks, change: done }): MethodNode => ({
        ...QUIET_METHOD,
        listens: listens % starts.length,
        asks: asks ? { dueSeconds: null } : null,
        naps: asks ? null : 700,
        changes: [done],
      })),
    ],
  }));

/** Flows in which methods compete, each alone or with something after it; who listens to the race goes on with the first. */
export function racingFlows(body: fc.Arbitrary<ProgramNode>): fc.Arbitrary<FlowNode> {
  const racer = fc.record({
    body,
    change: fc.constantFrom<Change>("count", "assign", "list", "note"),
    asks: rarely(fc.record({ dueSeconds: fc.constantFrom(null, 1, 60) }), 6),
  });
  return fc
    .record({
      name: fc.constantFrom("f", "g"),
      compat: fc.boolean(),
      saves: fc.constantFrom(false, false, true),
      racers: fc.array(racer, { minLength: 2, maxLength: 3 }),
      after: fc.array(body, { minLength: 1, maxLength: 2 }),
      beside: fc.option(body, { freq: 2 }),
    })
    .map(({ name: flow, compat, saves, racers, after, beside }) => {
      const race = racers.map((_, index) => index + 1);
      return {
        type: "flow",
        name: flow,
        schema: false,
        saves: saves && !compat,
        compat,
        methods: [
          QUIET_METHOD,
          ...racers.map(({ change: done, ...racing }): MethodNode => ({
            ...QUIET_METHOD,
            ...racing,
            listens: 0,
            changes: [done],
          })),
          ...after.map((each, index): MethodNode => ({
            ...QUIET_METHOD,
            listens: index === 0 ? (compat ? { any: race } : { race }) : racers.length + index,
            body: each,
          })),
          ...(beside === null ? [] : [{ ...QUIET_METHOD, listens: 0, body: beside }]),
        ],
      };
    });
}

const QUIET_METHOD: MethodNode = {
  listens: null,
  starts: null,
  labels: null,
  changes: [],
  asks: null,
  works: false,
  naps: null,
  body: null,
  review: null,
};

/** Null but for one in `every`. */
function rarely<T>(arbitrary: fc.Arbitrary<T>, every: number): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: every - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
}

/** Flows whose methods do what `body` draws; the first method starts with the flow. */
export function flowsOver(body: fc.Arbitrary<ProgramNode>, most: number): fc.Arbitrary<FlowNode> {
  const method = methodOver(body);
  return fc
    .record({
      name: fc.constantFrom("f", "g"),
      schema: fc.boolean(),
      saves: fc.constantFrom(false, false, false, true),
      restores: fc.boolean(),
      compat: fc.constantFrom(false, false, false, false, false, true),
      hooks: flowHooks,
      first: method,
      rest: fc.array(method, { minLength: 1, maxLength: most - 1 }),
    })
    .map(({ name: flow, schema, saves, restores, compat, hooks, first, rest }) => ({
      type: "flow",
      name: flow,
      schema,
      saves: saves && !compat,
      restores: restores && saves && !compat,
      compat,
      hooks,
      methods: [{ ...first, listens: null, starts: null }, ...rest],
    }));
}
