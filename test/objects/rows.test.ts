// What the platform bills: rows written, as SQLite and D1 count them, an alarm as one row.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { countedDatabase, counts, countStorage } from "../../bench/counting.ts";
import { D1RunIndex } from "../../src/cloudflare/runs/d1-run-index.ts";
import type { RunIndexRow, RunStatus } from "../../src/runtime/run.ts";
import { inStorage, newId, owedBy, runs, SOON, startOf, stubOf, TENANT } from "./support/runs.ts";

function rowsOf(place: string): number {
  const rows = Object.entries(counts.written).filter(([name]) => name.startsWith(place));
  return rows.reduce((sum, [, count]) => sum + count, 0);
}

/** Rows that the object of a run writes until nothing is left to be done for it. */
async function objectRows(kind: string, name: string, status: RunStatus): Promise<number> {
  const id = newId(`rows-${name}`);
  await runInDurableObject(stubOf(id), (_, state) => countStorage(state.storage));
  const before = rowsOf("object");
  await runs.start(startOf(name, { id, kind }));
  // Asking the run itself may set an alarm.
  await expect.poll(() => inStorage(id, (store) => store.load()?.status), SOON).toBe(status);
  await expect.poll(() => owedBy(id), SOON).toEqual([]);
  await expect
    .poll(() => runInDurableObject(stubOf(id), (_, state) => state.storage.getAlarm()), SOON)
    .toBeNull();
  return rowsOf("object") - before;
}

/** Rows of the index for a run that is announced, and ends: before its first report, unless `runsOn`. */
async function indexRows({ runsOn = false, withChanges = false } = {}): Promise<number> {
  const index = new D1RunIndex(countedDatabase(env.DB), [{ runs: { withChanges } }]);
  const before = rowsOf("D1");
  const announced: RunIndexRow = {
    tenant: TENANT,
    id: newId("rows-index"),
    kind: "crew",
    name: "single",
    status: "queued",
    createdAtMs: 1,
    updatedAtMs: 1,
    version: 0,
    leaseUntilMs: 60_000,
  };
  await index.put(announced);
  if (runsOn) await index.put({ ...announced, status: "running", version: 2 });
  await index.put({ ...announced, status: "completed", version: 3, leaseUntilMs: null });
  return rowsOf("D1") - before;
}

it("a run of one task writes at most 16 rows, those of the index included", async () => {
  const index = await indexRows();
  const object = await objectRows("crew", "single", "completed");
  expect({ index, object }).toEqual({ index: 6, object: 8 });
  expect(index + object).toBeLessThanOrEqual(16);
});

it("the order of changes costs a row, and the report of a running run two", async () => {
  expect(await indexRows({ withChanges: true })).toBe(7);
  expect(await indexRows({ runsOn: true })).toBe(8);
});

it("the report of a running run keeps the announced lease, and sets a missing one", async () => {
  const index = new D1RunIndex(env.DB);
  const row: RunIndexRow = {
    tenant: TENANT,
    id: newId("rows-lease"),
    kind: "crew",
    name: "single",
    status: "queued",
    createdAtMs: 1,
    updatedAtMs: 1,
    version: 0,
    leaseUntilMs: 300_000,
  };
  const leaseOf = (id: string): Promise<number | null> =>
    env.DB.prepare("SELECT lease_until FROM runs WHERE id = ?").bind(id).first("lease_until");
  await index.put(row);
  await index.put({ ...row, status: "running", version: 2, leaseUntilMs: 301_000 });
  expect(await leaseOf(row.id)).toBe(300_000);
  await index.put({ ...row, status: "running", version: 4, leaseUntilMs: 400_000 });
  expect(await leaseOf(row.id)).toBe(400_000);
  const unannounced = { ...row, id: newId("rows-lease"), status: "running", version: 2 } as const;
  await index.put({ ...unannounced, leaseUntilMs: 301_000 });
  expect(await leaseOf(unannounced.id)).toBe(301_000);
});

it("parallel tool starts write as many rows as one", async () => {
  expect(await objectRows("crew", "parallel", "completed")).toBe(8 + 2);
});

it("a turn with one tool writes two rows", async () => {
  const short = await objectRows("crew", "small", "completed"); // 7 turns
  const long = await objectRows("crew", "long", "completed"); // 12
  expect(long - short).toBe(5 * 2);
});
