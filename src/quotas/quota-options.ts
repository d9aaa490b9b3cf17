import { invalidDefinition } from "../base/invalid-definition.ts";
import { preview } from "../base/json.ts";
import { refuseUnknownOptions } from "../base/unknown-options.ts";

/** Every quota, with a flag for fractions. */
export const QUOTAS = {
  requestsPerMinute: false,
  openRuns: false,
  runsPerDay: false,
  costUsdPerDay: true,
  costUsdPerMonth: true,
  tokensPerDay: false,
  tokensPerMonth: false,
  memoryRecords: false,
  knowledgeChunks: false,
  fileBytes: false,
  definitions: false,
  schedules: false,
} as const;

export type QuotaName = keyof typeof QUOTAS;

/** Limits of a tenant. An absent quota is unlimited. */
export type Quotas = { readonly [Name in QuotaName]?: number };

/** Fails with `invalid_definition`. */
export function checkQuotas(quotas: Quotas): Quotas {
  refuseUnknownOptions(quotas, { method: "quotas()", known: Object.keys(QUOTAS) });
  for (const [name, limit] of Object.entries(quotas)) {
    const mayHaveFractions = QUOTAS[name as QuotaName];
    if (limit >= 0 && (mayHaveFractions ? Number.isFinite(limit) : Number.isSafeInteger(limit)))
      continue;
    const expected = mayHaveFractions ? "a number" : "a whole number";
    throw invalidDefinition(`quotas(): ${name} must be ${expected} >= 0, got ${preview(limit)}`);
  }
  return quotas;
}
