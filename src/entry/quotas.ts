/** Quotas of tenants. */
import { D1QuotaCounts } from "../cloudflare/stores/d1-quota-counts.ts";
import type { Part } from "../parts/part.ts";
import type { Quotas } from "../quotas/quota-options.ts";
import { quotasPart } from "../quotas/quotas-part.ts";
import type { RateLimit } from "../quotas/request-rate.ts";

/**
 * Limits the resources of each tenant, adjustable by the operator: `defineApp({ parts: [usage(), quotas({ runsPerDay:
 * 500 })] })`. Needs `usage()`. Throws `invalid_definition`.
 */
export function quotas(defaults: Quotas = {}): Part {
  return quotasPart(defaults, {
    counts: ({ DB }) => new D1QuotaCounts(DB),
    rateLimit: (env) => (env as { readonly REQUEST_LIMITER?: RateLimit }).REQUEST_LIMITER,
  });
}

export type { Quotas } from "../quotas/quota-options.ts";
