// Sums over the runs of a tenant.
import type { RunKind } from "../runtime/run.ts";

/** Groupings of runs. `status` groups by how runs began and ended. */
export const STATS_GROUPS = ["name", "kind", "status"] as const;
export const USAGE_GROUPS = ["name", "model", "kind"] as const;

/** A period and its sum. */
type Sum = {
  /** Beginning of the hour, the day or the month. ISO 8601, UTC. */
  readonly at: string;
  readonly group: string;
  /** Kind of the subject, if the group is a name. */
  readonly kind?: RunKind;
};

/** Numbers of runs. */
export type RunSum = Sum & {
  readonly started: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Total duration of the ended runs, in milliseconds. */
  readonly runMs: number;
};

/** Consumption of models. */
export type UsageSum = Sum & {
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  /** Excludes models with an unknown price. */
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
  /** Only runs of this kind, and of this name. @default all */
  readonly kind?: RunKind | undefined;
  readonly name?: string | undefined;
  readonly limit: number;
};

export interface UsageSums {
  runs(query: SumsQuery<"hour" | "day", (typeof STATS_GROUPS)[number]>): Promise<readonly RunSum[]>;
  usage(
    query: SumsQuery<"day" | "month", (typeof USAGE_GROUPS)[number]>,
  ): Promise<readonly UsageSum[]>;
}
