import type { RunSum, UsageSum } from "../../../src/usage/usage-sums.ts";

export function sumOf(
  rows: ReadonlyArray<Pick<RunSum, "started" | "completed" | "failed" | "cancelled">>,
  field: "started" | "completed" | "failed" | "cancelled",
): number {
  return rows.reduce((total, row) => total + row[field], 0);
}

/** The cost of today and of yesterday, by days in UTC. */
export function costOfDays(
  rows: ReadonlyArray<Pick<UsageSum, "at" | "costUsd">>,
  now: Date,
): { readonly today: number; readonly yesterday: number } {
  const of = (date: Date): number =>
    rows
      .filter(({ at }) => at.startsWith(day(date)))
      .reduce((total, row) => total + row.costUsd, 0);
  return { today: of(now), yesterday: of(new Date(now.getTime() - 86_400_000)) };
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
