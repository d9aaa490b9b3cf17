// A flow that is cut off at any moment ends as if it never was: same methods, same state.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { and, or, type Condition } from "../../../src/flow/condition.ts";
import { defineFlow, type BuiltFlow, type FlowMethod } from "../../../src/flow/flow.ts";
import { faultyRunStore } from "../../support/faulty-run-store.ts";
import { RunWorld } from "../../support/run-world.ts";

type Shape = {
  readonly condition: Condition | undefined;
  readonly ticks: number;
  readonly label: number;
  readonly steps: number;
};
type State = { n: number; log: string[] };

/** Method `m<i>` waits for methods and labels of lower numbers; every third, the first included, is a router that sends back into the flow at most twice. */
const graphs = fc
  .array(
    fc.record({
      kind: fc.nat(4),
      a: fc.nat(30),
      b: fc.nat(30),
      ticks: fc.nat(6),
      label: fc.nat(3),
      steps: fc.nat(2),
    }),
    { minLength: 1, maxLength: 9 },
  )
  .map((nodes) =>
    nodes.map(({ kind, a, b, ticks, label, steps }, index): Shape => {
      const name = (pick: number): string =>
        pick % 5 === 4 ? `l${pick % 3}` : `m${pick % Math.max(1, index)}`;
      const condition =
        index === 0 || kind === 0
          ? undefined
          : kind === 1
            ? name(a)
            : kind === 2
              ? or(name(a), name(b))
              : kind === 3
                ? and(name(a), name(b))
                : or(name(a), `l${b % 3}`);
      return { condition, ticks, label, steps };
    }),
  );

function flowOf(shapes: readonly Shape[], bodies: string[]): BuiltFlow<State> {
  const methods = shapes.map(
    ({ condition, ticks, label, steps }, index): [string, FlowMethod<State>] => {
      const name = `m${index}`;
      return [
        name,
        {
          ...(condition === undefined ? { start: true } : { listen: condition }),
          ...(index % 3 === 0 ? { router: true } : undefined),
          run: async ({ state, step }) => {
            for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
            for (let nth = 0; nth < steps; nth++)
              await step(`s${nth}`, async () => void bodies.push(`${name}/s${nth}`));
            state.n++;
            state.log.push(name);
            const visits = state.log.filter((each) => each === name).length;
            return index % 3 === 0 && visits <= 2 ? `l${label}` : null;
          },
        },
      ];
    },
  );
  return defineFlow({
    name: "random",
    state: z.object({ n: z.number(), log: z.array(z.string()) }),
    initial: { n: 0, log: [] },
    methods: Object.fromEntries(methods),
    maxMethodCalls: 20,
  });
}

/** Runs a flow, and cuts it off when it has written `cuts[i]` times more. */
async function run(shapes: readonly Shape[], cuts: readonly number[]) {
  const bodies: string[] = [];
  const flow = flowOf(shapes, bodies);
  const left = [...cuts];
  let room = left.shift() ?? Infinity;
  const world = new RunWorld((scope, inputs) => flow.program().run(scope, inputs), {
    wrap: (store) => {
      let alive = true;
      return faultyRunStore(store, () => !(alive &&= room-- > 0));
    },
  });
  await world.start({ kind: "flow" }).catch(() => undefined);
  for (let lives = 0; lives < 40; lives++) {
    const cut = room < 0;
    if (cut) {
      room = left.shift() ?? Infinity;
      world.restart();
      world.alarm.dueAtMs = world.clock.now(); // the platform rings again when an alarm's handler was cut off
    }
    await world.clock.advance(10_000);
    await world.start({ kind: "flow" }).catch(() => undefined);
    const status = await world.rest().then(
      ({ status: now }) => now,
      () => "unknown",
    );
    if (status === "completed" || status === "failed") break;
  }
  const { status, output } = await world.host.status();
  const { state } = (output ?? { state: { n: -1, log: [] } }) as { state: State };
  return { status, n: state.n, log: state.log.toSorted(), bodies };
}

describe("a flow that is cut off", () => {
  it("ends with the same methods run and the same state, whatever the graph and the moment", async () => {
    let cutRuns = 0;
    await fc.assert(
      fc.asyncProperty(graphs, fc.array(fc.nat(60), { maxLength: 4 }), async (shapes, cuts) => {
        const [whole, cut] = [await run(shapes, []), await run(shapes, cuts)];
        if (cuts.length > 0) cutRuns++;
        expect({ ...cut, bodies: [] }).toEqual({ ...whole, bodies: [] });
        expect(new Set(cut.bodies)).toEqual(new Set(whole.bodies));
      }),
      { numRuns: 300, seed: 7 },
    );
    expect(cutRuns).toBeGreaterThan(150);
  });
});
