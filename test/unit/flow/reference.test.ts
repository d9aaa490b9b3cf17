// The engine beside a reference that was written from the rules alone: over random graphs both begin the same methods, with the
// same values, in whatever order methods end. FLOW_RUNS and FLOW_SEED in the environment set how many graphs are tried, and which.
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonValue } from "../../../src/base/json.ts";
import { FlowProgress, type MethodResult } from "../../../src/flow/flow-progress.ts";
import { graphOf } from "../../../src/flow/flow-graph.ts";
import { definitionsOf, graphs, type Graph } from "../../support/flow-graphs.ts";
import { FlowReference, textOf, type Begun } from "../../support/flow-reference.ts";

const MAX_CALLS = 5;
/** So that a graph takes its time only. */
const MAX_ENDS = 60;

/** The engine, its bodies held as those of the reference are. */
function engineOf(graph: Graph) {
  const begun: Begun[] = [];
  const flowGraph = graphOf({
    name: "random",
    methods: definitionsOf(graph),
    config: { maxMethodCalls: MAX_CALLS },
  });
  const progress = new FlowProgress(flowGraph, async (name, value): Promise<MethodResult> => {
    const result = await new Promise<JsonValue>((end, fail) =>
      begun.push({ name, value, end, fail }),
    );
    return graph[name]?.router === true && result !== null
      ? { value: result, label: { name: textOf(result), value: result } }
      : { value: result };
  });
  return { begun, run: () => progress.run() };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 500; turn++) await Promise.resolve();
}

/** What is under way, in an order that does not depend on who was asked first. */
function open(begun: readonly Begun[], ended: ReadonlySet<Begun>): readonly Begun[] {
  const shown = (each: Begun): string => `${each.name} ${JSON.stringify(each.value)}`;
  return begun
    .filter((each) => !ended.has(each))
    .toSorted((a, b) => (shown(a) < shown(b) ? -1 : 1));
}

it("begins the methods of the rules, for any graph and any order of ends", async () => {
  let [ends, limits, failures] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(
      graphs,
      fc.array(fc.nat(99), { minLength: 1, maxLength: 20 }),
      async (graph, picks) => {
        const reference = new FlowReference(definitionsOf(graph), MAX_CALLS);
        const engine = engineOf(graph);
        const both = [reference.begun, engine.begun];
        let outcomes = ["", ""];
        for (const [index, side] of [reference, engine].entries())
          void side.run().then(
            () => (outcomes = outcomes.with(index, "ended")),
            (error: unknown) =>
              (outcomes = outcomes.with(
                index,
                /limit|more than/.test(String(error)) ? "limit" : "failed",
              )),
          );
        const ended = new Set<Begun>();
        const executions = new Map<string, number>();
        for (let turn = 0; turn < MAX_ENDS; turn++) {
          await settle();
          const [expected = [], actual = []] = both.map((begun) => open(begun, ended));
          const namesAndValues = (all: readonly Begun[]) =>
            all.map(({ name, value }) => ({ name, value }));
          expect(namesAndValues(actual)).toEqual(namesAndValues(expected));
          expect(outcomes[1]).toBe(outcomes[0]);
          const pick = (picks[turn % picks.length] ?? 0) % Math.max(1, expected.length);
          const name = expected[pick]?.name;
          if (name === undefined) break;
          const execution = (executions.get(name) ?? 0) + 1;
          executions.set(name, execution);
          const { labels = [], deed, router } = graph[name] ?? {};
          const result = router === true ? (labels[execution - 1] ?? null) : `${name}#${execution}`;
          for (const each of [expected[pick], actual[pick]]) {
            if (each === undefined) continue;
            ended.add(each);
            if (deed?.failsAt === execution) each.fail(new Error(`${name} failed`));
            else each.end(result);
          }
          ends++;
        }
        if (outcomes[0] === "limit") limits++;
        if (outcomes[0] === "failed") failures++;
      },
    ),
    {
      numRuns: Number(process.env["FLOW_RUNS"] ?? 1500),
      seed: Number(process.env["FLOW_SEED"] ?? 11),
    },
  );
  expect(ends).toBeGreaterThan(5_000);
  expect(Math.min(limits, failures)).toBeGreaterThan(5);
});
