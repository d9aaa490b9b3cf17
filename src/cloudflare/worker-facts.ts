import type { WorkerFacts } from "../parts/worker-facts.ts";
import type { Database } from "./d1.ts";
import { RUN_SCHEMA } from "./runs/run-schema.ts";
import { appliedMigrations, D1Sweeper } from "./stores/d1-sweeper.ts";

/** Returns the Worker's facts about itself. */
export function workerFacts(
  {
    DB: db,
    AI: ai,
    VERSION: version,
  }: {
    readonly DB: Database;
    readonly AI?: unknown;
    readonly VERSION?: { readonly id: string; readonly tag?: string; readonly timestamp?: string };
  },
  {
    limits = {},
    models,
  }: {
    readonly limits: Readonly<Record<string, number>> | undefined;
    readonly models: object;
  },
): WorkerFacts {
  const { id, tag = "", timestamp: at } = version ?? {};
  return {
    code: {
      ...(id === undefined ? undefined : { id }),
      ...(tag === "" ? undefined : { tag }),
      ...(at === undefined ? undefined : { at }),
    },
    objectSchema: { reads: RUN_SCHEMA.map((_, index) => index + 1), writes: RUN_SCHEMA.length },
    limits,
    hasModels: ai !== undefined || Object.keys(models).length > 0,
    migrations: () => appliedMigrations(db),
    sweptAtMs: () => new D1Sweeper(db).lastAtMs(),
  };
}
