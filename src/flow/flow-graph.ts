// Subscribers of each trigger in a flow. Made once for each definition.
import { namesIn, type Condition } from "./condition.ts";
import { DEFAULT_MAX_METHOD_CALLS, isRouter, type FlowDefinition } from "./flow-definition.ts";

/** A method with a condition. */
export type Subscriber = {
  readonly name: string;
  readonly condition: Condition;
  /** Fewer triggers than this cannot meet the condition. */
  readonly atLeast: number;
  /** Waits for any of several: fires once until it is armed again. */
  readonly once: boolean;
};

/** Methods waiting for one trigger, in the order of the definition. */
export type Subscribers = {
  readonly routers: Subscriber[];
  readonly listeners: Subscriber[];
  readonly starts: Subscriber[];
};

export type FlowGraph = {
  /** CrewAI's rules apply: when several routers listen to one trigger, only the last one's label reaches further routers, and alternatives race. */
  readonly compat: boolean;
  readonly maxMethodCalls: number;
  /** Methods to run when the flow starts: the unconditional starts; without any, all starts. */
  readonly entries: readonly string[];
  /**
   * Runs the entries one after another, each with all its effects: in a conversation the choice of the route comes
   * last.
   */
  readonly entriesInTurn: boolean;
  readonly subscribersOf: ReadonlyMap<string, Subscribers>;
  /** Methods of which only the first to finish counts. */
  readonly races: ReadonlyArray<ReadonlySet<string>>;
};

export function graphOf({ methods, config, conversational }: FlowDefinition): FlowGraph {
  const all = Object.entries(methods);
  const unconditional = all.filter(([, { start }]) => start === true);
  const anyStart = all.filter(([, { start }]) => start !== undefined);
  const subscribersOf = new Map<string, Subscribers>();
  const subscribe = (kind: keyof Subscribers, name: string, condition: Condition): void => {
    const once =
      kind === "listeners" &&
      typeof condition === "object" &&
      "or" in condition &&
      condition.or.length > 1;
    const atLeast = fewest(condition);
    for (const trigger of namesIn(condition)) {
      let subscribers = subscribersOf.get(trigger);
      if (subscribers === undefined)
        subscribersOf.set(trigger, (subscribers = { routers: [], listeners: [], starts: [] }));
      subscribers[kind].push({ name, condition, atLeast, once });
    }
  };
  for (const [name, method] of all) {
    const { start, listen } = method;
    if (start !== undefined && start !== true) subscribe("starts", name, start);
    if (listen !== undefined) subscribe(isRouter(method) ? "routers" : "listeners", name, listen);
  }
  const compat = config?.compat === "crewai";
  return {
    compat,
    maxMethodCalls: config?.maxMethodCalls ?? DEFAULT_MAX_METHOD_CALLS,
    entries: (unconditional.length > 0 ? unconditional : anyStart).map(([name]) => name),
    entriesInTurn: conversational === true,
    subscribersOf,
    races: racesOf(
      all.flatMap(([, method]) =>
        method.listen === undefined || isRouter(method) ? [] : [method.listen],
      ),
      compat,
    ),
  };
}

/** Returns the minimum number of names for a condition; branches of an `and` with shared names may need more. */
function fewest(condition: Condition): number {
  if (typeof condition === "string") return 1;
  if ("or" in condition) return Math.min(...condition.or.map(fewest));
  const names = new Set(condition.and.filter((branch) => typeof branch === "string"));
  return Math.max(names.size, ...condition.and.map(fewest));
}

/** Returns the names each racing listener alone waits for, if they are two or more. */
function racesOf(conditions: readonly Condition[], always: boolean): ReadonlySet<string>[] {
  const mentions = new Map<string, number>();
  for (const condition of conditions)
    for (const name of namesIn(condition)) mentions.set(name, (mentions.get(name) ?? 0) + 1);
  return conditions.flatMap((condition) => {
    if (typeof condition === "string" || !("or" in condition)) return [];
    if (condition.race !== true && !always) return [];
    const alternatives = [...alternativesOf(condition)].filter((name) => mentions.get(name) === 1);
    return alternatives.length > 1 ? [new Set(alternatives)] : [];
  });
}

/** Names reached through `or` alone. */
function alternativesOf(condition: Condition): ReadonlySet<string> {
  if (typeof condition === "string") return new Set([condition]);
  if ("and" in condition) return new Set();
  return new Set(condition.or.flatMap((branch) => [...alternativesOf(branch)]));
}
