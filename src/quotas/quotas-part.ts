// Quotas of tenants: the operator sets them with `PUT /tenants/{tenant}`, and the code has the defaults.
import * as z from "zod";
import { EngineError } from "../base/error.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { noted } from "../base/log.ts";
import { preview } from "../base/json.ts";
import { systemClock } from "../base/system.ts";
import { operation, type Operation } from "../parts/operation.ts";
import type { Part, PartEnv, PartHost } from "../parts/part.ts";
import { checkQuotas, QUOTAS, type QuotaName, type Quotas } from "./quota-options.ts";
import { RequestRate, type RateLimit } from "./request-rate.ts";
import { quotaGate, TenantQuotas, type QuotaCounts } from "./tenant-quotas.ts";
import { shape, type ViewOf } from "../parts/shape.ts";

const number = (name: QuotaName) =>
  (QUOTAS[name] ? z.number().min(0) : z.number().int().min(0)).nullable().optional();

const tenantBody = z.strictObject({
  quotas: z
    .strictObject(
      Object.fromEntries(Object.keys(QUOTAS).map((name) => [name, number(name as QuotaName)])),
    )
    .describe("Absent fields use the code's limits; null is no limit."),
});

export const tenantShape = shape("Tenant", () =>
  z.strictObject({
    tenant: z.string(),
    quotas: z.record(z.string(), z.number()).describe("Limited resources"),
    used: z.record(z.string(), z.number()).describe("Usage of each resource except requests"),
  }),
);

const TENANT = /^[A-Za-z0-9_-]{1,64}$/;

export type QuotaPorts = {
  readonly counts: (env: PartEnv) => QuotaCounts;
  readonly rateLimit: (env: PartEnv) => RateLimit | undefined;
};

export function quotasPart(defaults: Quotas, { counts: countsOf, rateLimit }: QuotaPorts): Part {
  checkQuotas(defaults);
  let known: TenantQuotas | undefined;
  const knownBy = (clock: PartHost["clock"]): TenantQuotas =>
    (known ??= new TenantQuotas(defaults, clock));
  return {
    name: "quotas",
    docs: "quotas.md",
    migrations: ["0023_operations.sql"],
    services: {
      quotas: ({ tenant, env, clock }) =>
        quotaGate(tenant, { known: knownBy(clock ?? systemClock), counts: countsOf(env) }),
    },
    check: (parts) => {
      if (!parts.some(({ name }) => name === "usage"))
        throw invalidDefinition(
          "quotas() counts by the sums of usage(): add it to the parts of the app",
        );
    },
    bind: (host) => {
      const { env, clock } = host;
      known = new TenantQuotas(defaults, clock, ({ tenant, quota: reason }) => {
        const message = `tenant ${tenant} has used 80 % of ${reason}`;
        host.report(noted(new Error(message), "quota_80", { tenant, reason }));
      });
      const counts = countsOf(env);
      const rate = new RequestRate(clock);
      const binding = rateLimit(env);
      return {
        operations: operations(host, { known, counts }),
        admit: async ({ tenant, callerId }) => {
          const { requestsPerMinute } = await knownBy(clock).quotasOf(tenant, counts);
          if (requestsPerMinute !== undefined) rate.check(tenant, requestsPerMinute);
          if (binding !== undefined) await rate.checkBinding(binding, { tenant, callerId });
        },
      };
    },
  };
}

function operations(
  { clock }: PartHost,
  { known, counts }: { readonly known: TenantQuotas; readonly counts: QuotaCounts },
): readonly Operation[] {
  const shared = { group: "Tenants", scope: "admin", operatorOnly: true } as const;
  const view = async (tenant: string): Promise<ViewOf<typeof tenantShape>> => {
    const all = await known.quotasOf(tenant, counts);
    const quotas = Object.fromEntries(
      Object.entries(all).filter(([, limit]) => typeof limit === "number" && limit !== Infinity),
    );
    const used: Record<string, number> = {};
    for (const [name, limit] of Object.entries(quotas))
      if (name !== "requestsPerMinute")
        used[name] = await known.used(tenant, name as QuotaName, { counts, limit });
    return { tenant, quotas, used };
  };
  return [
    operation({
      ...shared,
      id: "putTenant",
      method: "put",
      path: "/tenants/{tenant}",
      summary: "Set the quotas of a tenant",
      description:
        "Replaces earlier settings. Applies in other isolates of the Worker within ten seconds.",
      body: { name: "PutTenant", schema: tenantBody, required: true },
      answers: { 200: { description: "The tenant's quotas", shape: tenantShape } },
      problems: [400, 404, 413, 415],
      example: { quotas: { runsPerDay: 500, costUsdPerDay: 20 } },
      sample: { values: { tenant: "acme" } },
      handle: async ({ params: { tenant = "" }, body: { quotas } }) => {
        checkTenant(tenant);
        const limits = Object.fromEntries(
          Object.entries(quotas).filter(([, limit]) => limit !== undefined),
        );
        await counts.setQuotas(tenant, limits, clock.now());
        known.forget(tenant);
        return { status: 200, json: await view(tenant) };
      },
    }),
    operation({
      ...shared,
      id: "getTenant",
      method: "get",
      path: "/tenants/{tenant}",
      summary: "Show the quotas and usage of a tenant",
      answers: { 200: { description: "The tenant's quotas", shape: tenantShape } },
      problems: [404],
      sample: { values: { tenant: "acme" } },
      handle: async ({ params: { tenant = "" } }) => {
        checkTenant(tenant);
        return { status: 200, json: await view(tenant) };
      },
    }),
  ];
}

function checkTenant(tenant: string): void {
  if (TENANT.test(tenant)) return;
  throw new EngineError("not_found", `there is no tenant ${preview(tenant)}`);
}
