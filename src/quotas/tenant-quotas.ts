// Remaining quotas of a tenant.
//
//   QUO1. The last request within a limit passes, the next is refused. Two isolates within the same ten seconds may
//         exceed a limit by their requests in flight.
//   QUO2. A run may consume the rest of the tenant's day and month as of its start. Only this budget stops it.
//   QUO3. The operator's settings for a tenant override the code's defaults, quota by quota.
import type { Clock } from "../base/clock.ts";
import type { QuotaGate } from "../parts/quota-gate.ts";
import type { RunBudget } from "../runtime/run.ts";
import { quotaExceeded } from "./quota-exceeded.ts";
import type { QuotaName, Quotas } from "./quota-options.ts";

/** Counts of a tenant's usage. */
export interface QuotaCounts {
  /** The operator's quotas for the tenant; undefined if none are set. */
  quotas(tenant: string): Promise<Quotas | undefined>;
  setQuotas(tenant: string, quotas: Quotas, nowMs: number): Promise<void>;
  /**
   * Present use of a quota. `sinceMs` is the beginning of a period that resets. Item-by-item counts stop at `limit`.
   */
  used(
    tenant: string,
    quota: QuotaName,
    about: { readonly sinceMs: number; readonly limit: number },
  ): Promise<number>;
}

const FRESH_MS = 10_000;
const DAY_MS = 86_400_000;
const MAX_KEPT = 5_000;

type Kept<Value> = { readonly value: Value; readonly atMs: number };

/** Caches the quotas and uses of tenants for ten seconds. One instance for an isolate. */
export class TenantQuotas {
  readonly #defaults: Quotas;
  readonly #clock: Clock;
  readonly #quotas = new Map<string, Kept<Quotas>>();
  readonly #used = new Map<string, Kept<number>>();

  readonly #nearlyUsed = new Set<string>();
  readonly #nearlyFull: (what: { readonly tenant: string; readonly quota: QuotaName }) => void;

  /** `nearlyFull` is called once an isolate for each quota at 80 % of its limit. */
  constructor(
    defaults: Quotas,
    clock: Clock,
    nearlyFull: (what: { readonly tenant: string; readonly quota: QuotaName }) => void = () =>
      undefined,
  ) {
    this.#nearlyFull = nearlyFull;
    this.#defaults = defaults;
    this.#clock = clock;
  }

  async quotasOf(tenant: string, counts: QuotaCounts): Promise<Quotas> {
    const known = this.#fresh(this.#quotas, tenant);
    if (known !== undefined) return known;
    const value = { ...this.#defaults, ...(await counts.quotas(tenant)) };
    this.#keep(this.#quotas, tenant, value);
    return value;
  }

  forget(tenant: string): void {
    this.#quotas.delete(tenant);
  }

  /** Fails with `quota_exceeded` if `count` more do not fit. Otherwise counts them at once. */
  async admit(
    {
      tenant,
      quota,
      count,
    }: { readonly tenant: string; readonly quota: QuotaName; readonly count: number },
    counts: QuotaCounts,
  ): Promise<void> {
    const { [quota]: limit } = await this.quotasOf(tenant, counts);
    if (limit === undefined) return;
    const used = await this.used(tenant, quota, { counts, limit });
    const nowMs = this.#clock.now();
    if (used + count > limit || (count === 0 && used >= limit))
      throw quotaExceeded(quota, { limit, used, nowMs, resetsAtMs: resetOf(quota, nowMs) });
    const key = keyOf(tenant, quota, nowMs);
    if (limit > 0 && used + count >= 0.8 * limit && !this.#nearlyUsed.has(key)) {
      if (this.#nearlyUsed.size >= MAX_KEPT) this.#nearlyUsed.clear();
      this.#nearlyUsed.add(key);
      this.#nearlyFull({ tenant, quota });
    }
    const kept = this.#used.get(key);
    if (kept !== undefined) this.#used.set(key, { ...kept, value: kept.value + count });
  }

  async used(
    tenant: string,
    quota: QuotaName,
    { counts, limit }: { readonly counts: QuotaCounts; readonly limit: number },
  ): Promise<number> {
    const nowMs = this.#clock.now();
    const key = keyOf(tenant, quota, nowMs);
    const known = this.#fresh(this.#used, key);
    if (known !== undefined) return known;
    const used = await counts.used(tenant, quota, { sinceMs: beginOf(quota, nowMs), limit });
    this.#keep(this.#used, key, used);
    return used;
  }

  #fresh<Value>(map: Map<string, Kept<Value>>, key: string): Value | undefined {
    const kept = map.get(key);
    return kept !== undefined && kept.atMs + FRESH_MS > this.#clock.now() ? kept.value : undefined;
  }

  #keep<Value>(map: Map<string, Kept<Value>>, key: string, value: Value): void {
    if (map.size >= MAX_KEPT) map.clear();
    map.set(key, { value, atMs: this.#clock.now() });
  }
}

/** Quotas checked before a run, with the run's budget field for the rest. */
const CONSUMED = [
  ["costUsdPerDay", "maxCostUsd"],
  ["costUsdPerMonth", "maxCostUsd"],
  ["tokensPerDay", "maxTokens"],
  ["tokensPerMonth", "maxTokens"],
] as const;

export function quotaGate(
  tenant: string,
  { known, counts }: { readonly known: TenantQuotas; readonly counts: QuotaCounts },
): QuotaGate {
  return {
    admit: (quota, count) => known.admit({ tenant, quota: quota as QuotaName, count }, counts),
    admitRun: async () => {
      const quotas = await known.quotasOf(tenant, counts);
      let budget: RunBudget | undefined;
      for (const [quota, field] of CONSUMED) {
        const limit = quotas[quota];
        if (limit === undefined) continue;
        await known.admit({ tenant, quota, count: 0 }, counts);
        const left = limit - (await known.used(tenant, quota, { counts, limit }));
        budget = { ...budget, [field]: Math.min(left, budget?.[field] ?? Infinity) };
      }
      await known.admit({ tenant, quota: "openRuns", count: 1 }, counts);
      await known.admit({ tenant, quota: "runsPerDay", count: 1 }, counts);
      return budget;
    },
  };
}

function keyOf(tenant: string, quota: QuotaName, nowMs: number): string {
  return `${tenant}\n${quota}\n${beginOf(quota, nowMs)}`;
}

function beginOf(quota: QuotaName, nowMs: number): number {
  if (quota.endsWith("PerDay")) return Math.floor(nowMs / DAY_MS) * DAY_MS;
  if (!quota.endsWith("PerMonth")) return 0;
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
}

function resetOf(quota: QuotaName, nowMs: number): number | undefined {
  if (quota.endsWith("PerDay")) return beginOf(quota, nowMs) + DAY_MS;
  if (!quota.endsWith("PerMonth")) return undefined;
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
}
