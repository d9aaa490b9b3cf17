/** Number of runs, and their usage. */
import { D1UsageSums, sumStatements } from "../cloudflare/stores/d1-usage-sums.ts";
import type { Part } from "../parts/part.ts";
import { usagePart } from "../usage/usage-part.ts";

/** Sums up runs, tokens and cost by hour and day, for `GET /stats` and `GET /usage`: `defineApp({ parts: [usage()] })`. */
export function usage(): Part {
  return usagePart({ sums: ({ DB }) => new D1UsageSums(DB), entering: sumStatements });
}

export type { RunSum, UsageSum } from "../usage/usage-sums.ts";
