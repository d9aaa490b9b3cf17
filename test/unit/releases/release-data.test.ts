// Data that releases have written, read by the present code. A release adds its folder with
// `WRITE_RELEASE_DATA=1.2.3 vitest run --project unit test/unit/releases`; folders of releases are never changed.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { D1BackupRows } from "../../../src/cloudflare/stores/d1-backup-rows.ts";
import { D1RunIndex } from "../../../src/cloudflare/runs/d1-run-index.ts";
import { D1DefinitionStore } from "../../../src/cloudflare/stores/d1-definition-store.ts";
import { D1KnowledgeStore } from "../../../src/cloudflare/stores/d1-knowledge-store.ts";
import { D1MemoryRecords } from "../../../src/cloudflare/stores/d1-memory-records.ts";
import { SqlRunStore } from "../../../src/cloudflare/runs/sql-run-store.ts";
import { checkExport, contentsOf, restoreRun } from "../../../src/backup/restore-run.ts";
import {
  askingRun,
  dumpOf,
  filledDatabase,
  schemaOf,
  storageOf,
  TENANT,
} from "../../support/release-data.ts";
import { readSource } from "../../support/source-files.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures/releases/", import.meta.url));
const MIGRATIONS = readdirSync(new URL("../../../migrations/", import.meta.url)).toSorted();
const { WRITE_RELEASE_DATA: writes } = process.env;

if (writes !== undefined) await writeRelease(`${FIXTURES}${writes}`);

async function writeRelease(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const last = MIGRATIONS.at(-1) ?? "";
  writeFileSync(`${folder}/database.sql`, `-- ${last}\n${dumpOf(await filledDatabase())}`);
  const database = new DatabaseSync(":memory:");
  const { world } = askingRun(storageOf(database));
  await world.begin();
  writeFileSync(`${folder}/open-run.sql`, schemaOf(database) + dumpOf(database));
  await world.host.resume({ feedback: "with milk" });
  await world.rest();
  writeFileSync(`${folder}/run.json`, `${JSON.stringify(world.host.export())}\n`);
}

/** The database of a release, brought to the present schema. */
function databaseOf(release: string): DatabaseSync {
  const text = readFileSync(`${FIXTURES}${release}/database.sql`, "utf8");
  const [, last = ""] = /^-- (\S+)/.exec(text) ?? [];
  const sqlite = new DatabaseSync(":memory:");
  const apply = (names: readonly string[]): void => {
    for (const name of names) sqlite.exec(readSource(`migrations/${name}`));
  };
  apply(MIGRATIONS.filter((name) => name <= last));
  sqlite.exec(text);
  apply(MIGRATIONS.filter((name) => name > last));
  return sqlite;
}

function openRun(release: string): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  database.exec(readFileSync(`${FIXTURES}${release}/open-run.sql`, "utf8"));
  return database;
}

describe.each(readdirSync(FIXTURES))("data of release %s", (release) => {
  it("is listed, found and read from the database (OP9)", async () => {
    const db = sqliteD1(databaseOf(release));
    const index = new D1RunIndex(db);
    const { items } = await index.list({ tenant: TENANT, limit: 10 });
    expect(items.map(({ id, status }) => [id, status])).toEqual([
      ["open", "waiting"],
      ["done", "completed"],
    ]);
    expect((await index.waits({ tenant: TENANT, limit: 10 })).items).toMatchObject([
      { key: "answer", prompt: "Go on?", run: { id: "open" } },
    ]);
    const definition = await new D1DefinitionStore(db).get(TENANT, "crew", "stored");
    expect(JSON.stringify(definition)).toContain("Writer");
    const memory = new D1MemoryRecords(db, TENANT);
    expect(
      (await memory.searchText("card", { limit: 5, filter: {} })).map(({ record }) => record.id),
    ).toEqual(["m1"]);
    const knowledge = new D1KnowledgeStore(db, TENANT);
    expect(await knowledge.chunks("handbook", ["c1"])).toMatchObject([
      { text: "Holidays last three weeks" },
    ]);
    const states = await new D1BackupRows(db).page({
      tenant: TENANT,
      table: "flow_states",
      limit: 5,
    });
    expect(states.items).toMatchObject([{ flow_id: "f1", state: '{"id":"f1","balance":3}' }]);
  });

  it("lets an open run go on to its end, without repeated model calls (OP9)", async () => {
    const { world, model } = askingRun(storageOf(openRun(release)));
    const [wait] = (await world.host.status()).waits;
    expect(wait).toMatchObject({ kind: "human", prompt: "Go on?" });
    await world.host.resume({ feedback: "with milk" });
    const run = await world.rest();
    expect([run.status, run.error]).toEqual(["completed", undefined]);
    const exported = JSON.parse(readFileSync(`${FIXTURES}${release}/run.json`, "utf8")) as {
      run: { output: { raw: string } };
    };
    expect(run.output).toMatchObject({ raw: exported.run.output.raw });
    const calls = world.host.export().steps.filter(({ kind }) => kind === "model");
    expect(model.calls.length).toBeLessThan(calls.length);
  });

  it("can be restored from the export of a run (OP2, OP9)", () => {
    const text = readFileSync(`${FIXTURES}${release}/run.json`, "utf8");
    const exported = checkExport(JSON.parse(text));
    const store = new SqlRunStore(storageOf(new DatabaseSync(":memory:")));
    const request = { tenant: "other", exported, digest: "d" };
    expect([restoreRun(store, request), restoreRun(store, request)]).toEqual(["restored", "same"]);
    expect(restoreRun(store, { ...request, digest: "e" })).toBe("same");
    const changed = { ...exported, run: { ...exported.run, output: "something else" } };
    expect(contentsOf(changed)).not.toBe(contentsOf(exported));
    expect(restoreRun(store, { ...request, exported: changed, digest: "f" })).toBe("conflict");
  });
});
