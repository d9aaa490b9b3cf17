// Two batches over the same inputs, put together by input.
import type { RunRow } from "../../api-types.ts";
import type { BatchItem } from "./requests.ts";

/** Result of one side for an input. */
export type SideResult = {
  readonly item: BatchItem;
  readonly costUsd: number | undefined;
  readonly durationMs: number | undefined;
};

export type Totals = {
  readonly failed: number;
  readonly costUsd: number | undefined;
  /** Average of a run. */
  readonly durationMs: number | undefined;
};

/** Returns the items of a batch in the order of its inputs, each with the cost of its run. */
export function sideResults(
  items: readonly BatchItem[],
  children: readonly RunRow[],
): readonly SideResult[] {
  const runs = new Map(children.map((run) => [run.id, run]));
  return items
    .toSorted((one, other) => one.index - other.index)
    .map((item) => {
      const run = runs.get(item.runId ?? "");
      return { item, costUsd: run?.usage?.costUsd, durationMs: run?.durationMs };
    });
}

export function totalsOf(results: readonly SideResult[]): Totals {
  const costs = results.flatMap(({ costUsd }) => costUsd ?? []);
  const durations = results.flatMap(({ durationMs }) => durationMs ?? []);
  return {
    failed: results.filter(({ item }) => item.status !== "completed").length,
    costUsd: costs.length === 0 ? undefined : sum(costs),
    durationMs: durations.length === 0 ? undefined : sum(durations) / durations.length,
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
