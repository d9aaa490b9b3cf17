// Random flow graphs: starts, starts that wait for a label, listeners with nested conditions, routers, cycles.
import * as fc from "fast-check";
import type { Condition } from "../../src/flow/condition.ts";
import { namesIn } from "../../src/flow/condition.ts";
import type { MethodDefinition } from "../../src/flow/flow-definition.ts";

/** What a method does each time. */
export type Deed = {
  /** How long it sleeps at its end, in milliseconds; no two ends shall fall together. */
  readonly durationMs: number;
  readonly steps: number;
  readonly asks: boolean;
  /** The execution that fails; 0 for none. */
  readonly failsAt: number;
};

export type GraphMethod = MethodDefinition & {
  readonly deed: Deed;
  /** What a router gives in its n-th execution; null when it has given all of them. */
  readonly labels: ReadonlyArray<string | null>;
};

export type Graph = Readonly<Record<string, GraphMethod>>;

const LABELS = ["l0", "l1", "l2"];

const deeds = fc.record({
  // Far apart by chance: a process that dies costs a second, which must not change what ends first.
  durationMs: fc.noShrink(fc.noBias(fc.integer({ min: 1, max: 1_000_000_000_000 }))),
  steps: fc.nat(2),
  asks: fc.nat(9).map((pick) => pick === 0),
  failsAt: fc.nat(40).map((pick) => (pick < 38 ? 0 : pick - 37)),
});

/** Names are picked by number, so that any method can be waited for, the later ones too. */
const { condition: conditions } = fc.letrec<{ condition: RawCondition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2, depthSize: "small", withCrossShrink: true },
    fc.nat(99),
    fc.record({ and: fc.array(tie("condition"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ or: fc.array(tie("condition"), { minLength: 1, maxLength: 3 }) }),
  ),
}));

type RawCondition =
  | number
  | { readonly and: readonly RawCondition[] }
  | { readonly or: readonly RawCondition[] };

const methods = fc.record({
  role: fc.constantFrom(
    "start",
    "start-if",
    "listener",
    "listener",
    "listener",
    "router",
    "router",
    "start-router",
    "both",
  ),
  condition: conditions,
  startIf: conditions,
  labels: fc.array(fc.constantFrom("l0", "l1", "l2", null), { minLength: 1, maxLength: 3 }),
  deed: deeds,
});

/** Has a start; no method waits for itself. */
export const graphs: fc.Arbitrary<Graph> = fc
  .array(methods, { minLength: 1, maxLength: 9 })
  .map((raw) => {
    const names = raw.map((_, index) => `m${index}`);
    const resolve = (condition: RawCondition, self: string): Condition => {
      if (typeof condition === "number") {
        const others = [...names.filter((name) => name !== self), ...LABELS];
        return others[condition % others.length] ?? "l0";
      }
      if ("and" in condition) return { and: condition.and.map((branch) => resolve(branch, self)) };
      return { or: condition.or.map((branch) => resolve(branch, self)) };
    };
    const entries = raw.map(
      ({ role, condition, startIf, labels, deed }, index): [string, GraphMethod] => {
        const self = `m${index}`;
        const as = index === 0 && !role.startsWith("start") ? "start" : role;
        const listen = resolve(condition, self);
        const common = { deed, labels };
        switch (as) {
          case "start":
            return [self, { ...common, start: true }];
          case "start-router":
            return [self, { ...common, start: true, router: true }];
          case "start-if":
            return [self, { ...common, start: resolve(startIf, self) }];
          case "both":
            return [self, { ...common, start: resolve(startIf, self), listen }];
          case "router":
            return [self, { ...common, router: true, listen }];
          default:
            return [self, { ...common, listen }];
        }
      },
    );
    return Object.fromEntries(entries);
  })
  .filter((graph) =>
    Object.entries(graph).every(
      ([name, { listen }]) => listen === undefined || !namesIn(listen).has(name),
    ),
  );

/** The methods alone, as a definition has them. */
export function definitionsOf(graph: Graph): Record<string, MethodDefinition> {
  const entries = Object.entries(graph).map(([name, method]) => {
    const { deed: _, labels: __, ...definition } = method;
    return [name, definition] as const;
  });
  return Object.fromEntries(entries);
}
