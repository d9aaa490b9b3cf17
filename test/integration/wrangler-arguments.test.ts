// The fake account of the unit tests takes any option. Wrangler itself does not: nobody is logged in here, so that is all it complains about.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemClock } from "../../src/base/system.ts";
import { CloudFault } from "../../src/cli/cloud/cloud.ts";
import { WranglerCloud } from "../../src/cli/cloud/wrangler-cloud.ts";

it("the wrangler of this repository has every command and option used for deployment", async () => {
  const { CLOUDFLARE_API_TOKEN: _, ...variables } = process.env;
  const home = mkdtempSync(`${tmpdir()}/edgecrew-home-`);
  const secrets = join(home, "secrets.json");
  writeFileSync(secrets, JSON.stringify({ A: "1" }));
  const { signal } = new AbortController();
  const cloud = new WranglerCloud({
    folder: process.cwd(),
    variables: { ...variables, HOME: home, XDG_CONFIG_HOME: home },
    clock: systemClock,
    signal,
    env: "production",
  });
  const place = { location: "weur" };
  const eu = { jurisdiction: "eu" };
  const labels = { message: "why", tag: "1+abc", secretsFile: secrets };
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    databases: () => cloud.databases(),
    createDatabase: () => cloud.createDatabase("x", place),
    databaseState: () => cloud.databaseState("DB", "d1_migrations"),
    migrate: () => cloud.migrate("DB"),
    migratedSince: () => cloud.migratedSince("DB", "d1_migrations", "2026-11-20T10:00:00.000Z"),
    bookmark: () => cloud.bookmark("DB"),
    bookmarkAt: () => cloud.bookmark("DB", "2026-11-20T10:00:00.000Z"),
    restoreDatabase: () => cloud.restoreDatabase("DB", "00000001-00000002"),
    removeDatabase: () => cloud.removeDatabase("x"),
    hasQueue: () => cloud.hasQueue("x"),
    createQueue: () => cloud.createQueue("x", eu),
    removeQueue: () => cloud.removeQueue("x"),
    indexes: () => cloud.indexes(),
    createIndex: () => cloud.createIndex({ name: "x", dimensions: 3, metric: "cosine" }),
    metadataIndexes: () => cloud.metadataIndexes("x"),
    createMetadataIndex: () => cloud.createMetadataIndex("x", "owner"),
    removeIndex: () => cloud.removeIndex("x"),
    bucket: () => cloud.bucket("x", eu),
    createBucket: () => cloud.createBucket("x", place),
    removeBucket: () => cloud.removeBucket("x"),
    hasZone: () => cloud.hasZone("crews.example.com"),
    secrets: () => cloud.secrets(),
    putSecrets: () => cloud.putSecrets(secrets),
    upload: () => cloud.upload({ ...labels, alias: "a" }),
    route: () =>
      cloud.route(
        [
          { version: "a", percentage: 10 },
          { version: "b", percentage: 90 },
        ],
        "why",
      ),
    versions: () => cloud.versions(),
    deployments: () => cloud.deployments(),
    rollback: () => cloud.rollback("v", "why"),
    remove: () => cloud.remove(),
    tail: () => cloud.tail(() => undefined, signal),
    deploy: () => cloud.deploy({ ...labels, drain: "30s" }),
  };
  const faults: Record<string, string> = {};
  const open = Object.entries(calls).values();
  const lane = async (): Promise<void> => {
    for (const [name, call] of open) {
      const fault: unknown = await call().catch((error: unknown) => error);
      faults[name] = fault instanceof CloudFault ? fault.kind : String(fault);
    }
  };
  await Promise.all([lane(), lane()]);
  expect(faults).toEqual(
    Object.fromEntries(Object.keys(calls).map((name) => [name, "not_logged_in"])),
  );
}, 300_000);
