// Checkpoints and deletion of runs, over real objects and the real index.
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { newId, reaches, runs, start, stubOf, TENANT } from "./support/runs.ts";

it("DC1: a fork goes on from a checkpoint", async () => {
  const id = await start("tour");
  await reaches(id, "completed");
  const list = await runs.checkpoints(TENANT, id);
  expect(list.length).toBeGreaterThan(1);
  const newRun = newId("fork");
  const fromCheckpoint = list.at(-2)?.id ?? "";
  await runs.fork(TENANT, id, { newId: newRun, from: { fromCheckpoint }, branch: "again" });
  const run = await reaches(newRun, "completed");
  expect(run.origin).toEqual({ runId: id, checkpoint: fromCheckpoint, branch: "again" });
  const branches = await runs.checkpoints(TENANT, newRun);
  expect(branches.at(-2)?.branch).toBe(id);
  expect(branches.at(-1)?.branch).toBe("again");
});

it("DC7: a deleted run is gone from its object and from the index, and its id is free", async () => {
  const id = await start("single");
  await reaches(id, "completed");
  const listed = async (): Promise<boolean> =>
    (await runs.list({ tenant: TENANT, name: "single", limit: 100 })).items.some(
      (run) => run.id === id,
    );
  await expect.poll(listed).toBe(true);
  await runs.delete(TENANT, id);
  await expect(runs.get(TENANT, id)).rejects.toMatchObject({ code: "not_found" });
  await expect(runs.delete(TENANT, id)).rejects.toMatchObject({ code: "not_found" });
  expect(await listed()).toBe(false);
  const tables = await runInDurableObject(stubOf(id), (_, state) => [
    ...state.storage.sql.exec(`SELECT name FROM sqlite_master WHERE name NOT LIKE '_cf_%'`),
  ]);
  expect(tables).toEqual([]);
  await start("single", { id });
  await reaches(id, "completed");
  await expect.poll(listed).toBe(true);
});

it("refuses to delete an open run", async () => {
  const id = await start("asking");
  await reaches(id, "waiting");
  await expect(runs.delete(TENANT, id)).rejects.toMatchObject({ code: "conflict" });
});

it("finds old finished runs, oldest first, and never the newest", async () => {
  const tenant = newId("prune");
  const ids: string[] = [];
  for (const _ of [1, 2, 3]) {
    const id = await start("single", { tenant });
    await expect.poll(async () => (await runs.get(tenant, id)).status).toBe("completed");
    ids.push(id);
  }
  const prunable = (keep: number, beforeMs = Date.now() + 60_000, limit = 10) =>
    runs.prunable({ tenant, beforeMs, keep, limit });
  await expect.poll(() => prunable(0)).toEqual(ids);
  expect(await prunable(1)).toEqual(ids.slice(0, 2));
  expect(await prunable(0, Date.now() + 60_000, 1)).toEqual(ids.slice(0, 1));
  expect(await prunable(0, 1)).toEqual([]);
});
