// Estimates Cloudflare's charges for runs from counts. The bill is in Cloudflare's dashboard.

/** Counts of a period. */
export type PlatformCounts = {
  readonly runs: number;
  readonly modelCalls: number;
  /** Total duration of the runs, including waits. */
  readonly runMs: number;
};

/** US dollars, of Workers Paid. */
export const PRICES_OF = "November 2026";

/** Consumption of a run, and the price of a million units. */
const THINGS = [
  {
    name: "rows of objects",
    // With a tool for each call; a call without one takes 5.
    count: ({ runs, modelCalls }: PlatformCounts) => 40 * runs + 10 * modelCalls,
    perMillion: 1,
  },
  {
    name: "rows of D1",
    count: ({ runs }: PlatformCounts) => 9 * runs,
    perMillion: 1,
  },
  {
    name: "object time (GB-s)",
    count: ({ runMs }: PlatformCounts) => (runMs / 1000) * 0.125,
    perMillion: 12.5,
  },
  { name: "object requests", count: ({ runs }: PlatformCounts) => 5 * runs, perMillion: 0.15 },
  { name: "Worker requests", count: ({ runs }: PlatformCounts) => 3 * runs, perMillion: 0.3 },
  { name: "Worker CPU (ms)", count: ({ runs }: PlatformCounts) => 40 * runs, perMillion: 0.02 },
] as const;

export type PlatformCost = {
  readonly thing: string;
  readonly count: number;
  readonly costUsd: number;
};

/** Returns the costs before the allowance of the monthly price. */
export function platformCosts(counts: PlatformCounts): readonly PlatformCost[] {
  return THINGS.map(({ name, count, perMillion }) => ({
    thing: name,
    count: Math.ceil(count(counts)),
    costUsd: (count(counts) / 1_000_000) * perMillion,
  }));
}
