// Sums over the runs of a tenant.
import type { RunKind } from "../runtime/run.ts";

/** How runs are put together. `status` is how they began and ended. */
export const STATS_GROUPS = ["name", "kind", "status"] as const;
export const USAGE_GROUPS = ["name", "model", "kind"] as const;

/** A time and what was summed up from then on. */
type Sum = {
  /** The beginning of the hour, the day or the month. ISO 8601, UTC. */
  readonly at: string;
  readonly group: string;
  /** Of a group that is a name: whose it is. */
  readonly kind?: RunKind;
};

/** How many runs there were. */
export type RunSum = Sum & {
  readonly started: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** How long those that ended took together, in milliseconds. */
  readonly runMs: number;
};

/** What models consumed. */
export type UsageSum = Sum & {
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  /** Without models whose price is not known. */
  readonly costUsd: number;
};

export type SumsQuery<By, Group> = {
  readonly tenant: string;
  /** Included. */
  readonly fromMs: number;
  /** Excluded. */
  readonly toMs: number;
  readonly by: By;
  readonly group: Group;
  readonly limit: number;
};

export interface UsageSums {
  runs(query: SumsQuery<"hour" | "day", (typeof STATS_GROUPS)[number]>): Promise<readonly RunSum[]>;
  usage(
    query: SumsQuery<"day" | "month", (typeof USAGE_GROUPS)[number]>,
  ): Promise<readonly UsageSum[]>;
}
