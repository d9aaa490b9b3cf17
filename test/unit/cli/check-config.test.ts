import { describe, expect, it } from "vitest";
import { checkConfig, type CheckedConfig } from "../../../src/cli/check-config.ts";
import { environmentOf } from "../../../src/cli/environment.ts";
import { findProject } from "../../../src/cli/project.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { PRODUCTION } from "../../support/deploy-world.ts";

const NOW = Date.parse("2026-11-01");

const TOP: JsonObject = {
  name: "demo",
  compatibility_date: "2026-08-15",
  migrations: [{ tag: "v1", new_sqlite_classes: ["CrewRun"] }],
  triggers: { crons: ["* * * * *"] },
};

function codesOf(production: JsonObject, top: JsonObject = {}, more: Partial<CheckedConfig> = {}) {
  const environment = environmentOf({ ...TOP, ...top, env: { production } });
  const migrations = { DB: ["0001_a.sql", "0002_b.sql"] };
  return checkConfig({ environment, nowMs: NOW, migrations, ...more }).map(({ code }) => code);
}

const consumers = (...list: JsonObject[]): JsonObject => ({
  ...PRODUCTION,
  queues: { producers: [{ binding: "TASKS", queue: "t" }], consumers: list },
});

describe("a configuration", () => {
  it("CFG1: has no finding, as that of this repository", () => {
    expect(codesOf(PRODUCTION)).toEqual([]);
    const project = findProject(import.meta.dirname);
    const environment = environmentOf(project?.config ?? {});
    const migrations = { DB: ["0001_a.sql"] };
    expect(checkConfig({ environment, nowMs: NOW, migrations })).toEqual([]);
  });

  it.each<[string, ...Parameters<typeof codesOf>]>([
    ["no_run_objects", { ...PRODUCTION, durable_objects: {} }],
    ["class_without_migration", PRODUCTION, { migrations: [] }],
    [
      "migration_tag_twice",
      PRODUCTION,
      { migrations: [{ tag: "v1", new_sqlite_classes: ["CrewRun"] }, { tag: "v1" }] },
    ],
    ["no_database", { ...PRODUCTION, d1_databases: [] }],
    ["database_without_name", { ...PRODUCTION, d1_databases: [{ binding: "DB" }] }],
    ["no_migrations", PRODUCTION, {}, { migrations: { DB: undefined } }],
    ["migrations_with_gaps", PRODUCTION, {}, { migrations: { DB: ["0001_a.sql", "0003_c.sql"] } }],
    ["migrations_missing", PRODUCTION, {}, { packageMigrations: ["0001_a.sql", "0009_new.sql"] }],
    ["queue_without_consumer", consumers()],
    ["queue_without_dlq", consumers({ queue: "t" })],
    ["queue_without_dlq", consumers({ queue: "t", dead_letter_queue: "t-dlq" })],
    ["no_cron", PRODUCTION, { triggers: { crons: ["0 * * * *"] } }],
    ["compatibility_date", PRODUCTION, { compatibility_date: "2026-11-02" }],
    ["no_version_metadata", { ...PRODUCTION, version_metadata: null }],
    ["open_to_everybody", { ...PRODUCTION, vars: { EDGECREW_AUTH: "open-to-everybody" } }],
    ["open_auth_public", { ...PRODUCTION, vars: { EDGECREW_AUTH: "open" } }],
    ["public_secret", { ...PRODUCTION, vars: { EDGECREW_SECRETS_KEY: "x" } }],
    ["bundle_needs_paid_plan", PRODUCTION, {}, { bundle: { gzipBytes: 4 * 2 ** 20 } }],
    ["bundle_too_large", PRODUCTION, {}, { bundle: { gzipBytes: 11 * 2 ** 20 } }],
    ["bundle_grew", PRODUCTION, {}, { bundle: { gzipBytes: 1_300, lastBytes: 1_000 } }],
  ])("CFG1: CFG2: %s (DP11)", (code, ...checked) => {
    expect(codesOf(...checked)).toEqual([code]);
  });

  it("CFG1: findings about costs are not errors", () => {
    const environment = environmentOf({ ...TOP, env: { production: PRODUCTION } });
    const bundle = { gzipBytes: 4 * 2 ** 20, lastBytes: 2 ** 20 };
    const migrations = { DB: ["0001_a.sql"] };
    const findings = checkConfig({ environment, nowMs: NOW, migrations, bundle });
    expect(findings.map(({ isError }) => isError)).toEqual([false, false]);
  });
});

describe("an environment", () => {
  it("inherits the same keys from the top as in wrangler, and no more", () => {
    const config = { ...TOP, vars: { A: "1" }, env: { staging: { ...PRODUCTION, name: "own" } } };
    const staging = environmentOf(config, "staging");
    expect(staging).toMatchObject({
      worker: "own",
      crons: ["* * * * *"],
      vars: { EDGECREW_AUTH: "keys" },
    });
    expect(staging.queues).toEqual(["demo-tasks", "demo-tasks-dlq"]);
    expect(environmentOf(config)).toMatchObject({
      env: undefined,
      worker: "demo",
      vars: { A: "1" },
      databases: [],
    });
    expect(() => environmentOf(config, "prod")).toThrow(/no environment "prod"; it has: staging/);
  });
});
