import { expect, it } from "vitest";
import { D1RunIndex } from "../../../../src/cloudflare/runs/d1-run-index.ts";
import type { RunIndexRow } from "../../../../src/runtime/run.ts";
import { sqliteD1 } from "../../../support/sqlite-d1.ts";

const ROW: RunIndexRow = {
  tenant: "acme",
  id: "run-1",
  kind: "crew",
  name: "briefing",
  status: "queued",
  createdAtMs: 1,
  updatedAtMs: 1,
  version: 0,
  leaseUntilMs: 60_000,
};

it("a run's own report corrects the announcement before its start", async () => {
  const index = new D1RunIndex(sqliteD1());
  await index.put(ROW); // a start that came second, announced first
  const parent = { id: "run-0", key: "item:1" };
  const report = { ...ROW, kind: "flow", name: "triage", parent } as const;
  await index.put({ ...report, status: "running", updatedAtMs: 2, version: 1 });
  const { items } = await index.list({ tenant: "acme", limit: 5 });
  expect(items).toMatchObject([{ kind: "flow", name: "triage", status: "running", parent }]);
  await index.put({ ...ROW, status: "failed" }); // late, and older
  expect((await index.list({ tenant: "acme", limit: 5 })).items).toEqual(items);
});

it("an interrupted correction comes with the repetition of the report", async () => {
  const database = sqliteD1();
  const index = new D1RunIndex(database);
  await index.put(ROW);
  database.sqlite.exec(
    "CREATE TRIGGER cut BEFORE UPDATE OF name ON runs BEGIN SELECT RAISE(ABORT, 'cut off'); END",
  );
  const report = { ...ROW, name: "triage", status: "running", version: 1 } as const;
  await expect(index.put(report)).rejects.toThrow("cut off");
  database.sqlite.exec("DROP TRIGGER cut");
  expect(await index.put(report)).toBe(false); // its row is there
  const { items } = await index.list({ tenant: "acme", limit: 5 });
  expect(items).toMatchObject([{ name: "triage", status: "running" }]);
});
