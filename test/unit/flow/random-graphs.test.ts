// Random flows whose process dies at random writes: they end as if it had not. FLOW_CUT_RUNS and
// FLOW_SEED in the environment set how many are tried, and which.
import * as fc from "fast-check";
import { expect, it } from "vitest";
import * as z from "zod";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import { checkFlow } from "../../../src/flow/flow-definition.ts";
import type { FlowMethod } from "../../../src/flow/flow-options.ts";
import { runCutAfter, runWhole, type Subject } from "../../support/cut-off.ts";
import { definitionsOf, graphs, type Graph } from "../../support/flow-graphs.ts";

const State = z.object({
  n: z.number().default(0),
  /** Every execution that ended, in their order. */
  log: z.array(z.string()).default([]),
  visits: z.record(z.string(), z.number()).default({}),
  last: z.string().default(""),
  /** A number that methods set which run at once. */
  latest: z.number().default(0),
});
type State = z.output<typeof State>;

/** Attempts of each effect, told apart by its idempotency key. */
type Effects = Map<string, number[]>;

function subjectOf(graph: Graph): Subject & { readonly effects: Effects } {
  const effects: Effects = new Map();
  const methods = Object.entries(definitionsOf(graph)).map(
    ([name, definition]): [string, FlowMethod<State>] => {
      const { deed, labels } = graph[name] ?? raise();
      return [
        name,
        {
          ...definition,
          run: async ({ state, add, value, step, sleep, ask }) => {
            const execution = (state.visits[name] ?? 0) + 1;
            state.visits[name] = execution;
            for (let nth = 0; nth < deed.steps; nth++)
              state.last = await step(`s${nth}`, async ({ idempotencyKey, attempt }) => {
                effects.set(idempotencyKey, [...(effects.get(idempotencyKey) ?? []), attempt]);
                return `${name}#${execution}/${nth} of ${JSON.stringify(value)}`.slice(0, 80);
              });
            if (deed.asks) state.last += ` ${await ask("And?")}`;
            // No two methods end together: which of them is first does not depend on where a process died.
            await sleep("work", deed.durationMs + execution);
            if (deed.failsAt === execution) throw new Error(`${name} failed`);
            state.latest = deed.durationMs;
            add("n");
            state.log.push(`${name}#${execution}`);
            return definition.router === true ? (labels[execution - 1] ?? null) : `${name}!`;
          },
        },
      ];
    },
  );
  const flow = defineFlow({
    name: "random",
    state: State,
    methods: Object.fromEntries(methods),
    maxMethodCalls: 4,
  });
  return { program: flow.program(), answer: ({ key }) => ({ feedback: `to ${key}` }), effects };
}

it("DC1, RF1, SC1: a flow whose process dies at random ends with the same course, state and result, each effect done once", async () => {
  const seen = { cut: 0, completed: 0, failed: 0, asked: 0, rounds: 0 };
  await fc.assert(
    fc.asyncProperty(
      graphs.filter(isAllowed),
      fc.array(fc.nat(60), { minLength: 1, maxLength: 4 }),
      async (graph, cuts) => {
        const calm = subjectOf(graph);
        const whole = await runWhole(calm);
        const disturbed = subjectOf(graph);
        const cut = await runCutAfter(disturbed, cuts);
        expect(cut.course).toEqual(whole.course);
        expect([...disturbed.effects.keys()].toSorted()).toEqual(
          [...calm.effects.keys()].toSorted(),
        );
        // What is done again is another attempt under the same key, and was under way when a process died.
        for (const attempts of disturbed.effects.values()) {
          expect(attempts).toEqual([...new Set(attempts)].toSorted((a, b) => a - b));
          expect(Math.max(...attempts)).toBeLessThanOrEqual(1 + cuts.length);
        }
        for (const attempts of calm.effects.values()) expect(attempts).toEqual([1]);
        if (cut.died) seen.cut++;
        if (whole.run.status === "completed") seen.completed++;
        if (whole.run.status === "failed") seen.failed++;
        if (cut.events.some(({ type }) => type === "flow_input_received")) seen.asked++;
        if (cut.events.some(({ path }) => path.includes("~2"))) seen.rounds++;
      },
    ),
    {
      numRuns: Number(process.env["FLOW_CUT_RUNS"] ?? 60),
      seed: Number(process.env["FLOW_SEED"] ?? 5),
    },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(4);
});

/** Where there is no router, labels are nobody's, and waiting for one is refused. */
function isAllowed(graph: Graph): boolean {
  try {
    checkFlow({ name: "random", methods: definitionsOf(graph) });
    return true;
  } catch {
    return false;
  }
}

function raise(): never {
  throw new Error("no such method");
}
