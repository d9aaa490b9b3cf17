// Deletes old runs from the Worker's cron.
//
//   RETP1. Each tenant has its minute of the hour, so a Worker with many tenants has no peaks. A tenant with more runs
//          to delete is swept each minute.
import { noted } from "../base/log.ts";
import { fraction } from "../base/hash.ts";
import type { Part, PartEnv } from "../parts/part.ts";
import type { FinishedRuns } from "./finished-runs.ts";
import { Retention, type RetentionOptions } from "./retention-options.ts";
import { sweepRuns } from "./sweep-runs.ts";

const MINUTE_MS = 60_000;

export function retentionPart(
  options: RetentionOptions,
  finishedRuns: (env: PartEnv) => FinishedRuns,
): Part {
  const retention = new Retention(options);
  return {
    name: "retention",
    docs: "retention.md",
    bind: ({ env, clock, runs, report }) => {
      /** Tenants with more runs to delete. An entry lost with its isolate waits for the tenant's minute. */
      const behind = new Set<string>();
      return {
        due: async () => {
          const nowMs = clock.now();
          const finished = finishedRuns(env);
          for (const tenant of await finished.tenants()) {
            if (!behind.has(tenant) && !isTurnOf(tenant, nowMs)) continue;
            try {
              const hasMore = await sweepRuns(retention, { tenant, finished, runs, nowMs });
              if (hasMore) behind.add(tenant);
              else behind.delete(tenant);
            } catch (error) {
              report(noted(error, "cron_failed", { part: "retention", tenant }));
            }
          }
        },
      };
    },
  };
}

function isTurnOf(tenant: string, nowMs: number): boolean {
  return Math.floor(nowMs / MINUTE_MS) % 60 === Math.floor(fraction(tenant) * 60);
}
