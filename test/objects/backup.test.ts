// Backups of runs: exported from their objects, restored into others, and their rows made again.
import { env, exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { ExportedRun } from "../../src/runtime/export-run.ts";
import type { Run } from "../../src/runtime/run.ts";
import { newId, runs, SOON, start, TENANT } from "./support/runs.ts";

async function ask<T>(path: string, body?: unknown): Promise<T> {
  const init =
    body === undefined
      ? {}
      : {
          method: "POST",
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" },
        };
  const response = await exports.default.fetch(new Request(`https://api.test${path}`, init));
  const answer = await response.json();
  if (!response.ok) throw answer as Error;
  return answer as T;
}

type Imported = { readonly id: string; readonly outcome: string; readonly resumedAs?: string };

const exportOf = (tenant: string, id: string): Promise<ExportedRun> =>
  ask(`/backup/runs/${id}?tenant=${tenant}`);
const importInto = (tenant: string, exported: ExportedRun, more = ""): Promise<Imported> =>
  ask(`/runs/import?tenant=${tenant}${more}`, exported);

async function reached(tenant: string, id: string, status: string): Promise<Run> {
  await expect.poll(async () => (await runs.get(tenant, id)).status, SOON).toBe(status);
  return runs.get(tenant, id);
}

it("RSR1, BUP2: a run comes back as it was, is listed, and can be forked; a second time it is the same (OP2)", async () => {
  const [from, to] = [newId("from"), newId("to")];
  const id = await start("tour", { tenant: from });
  await reached(from, id, "completed");
  const exported = await exportOf(from, id);
  expect(await importInto(to, exported)).toEqual({ id, outcome: "restored" });
  expect(await importInto(to, exported)).toEqual({ id, outcome: "same" });
  const back = await exportOf(to, id);
  expect({ ...back, exportedAt: "", start: { ...back.start, tenant: "" } }).toEqual({
    ...exported,
    exportedAt: "",
    start: { ...exported.start, tenant: "" },
  });
  const [before, after] = await Promise.all(
    [from, to].map((tenant) => runs.list({ tenant, limit: 10 })),
  );
  expect(after?.items).toEqual(before?.items);
  expect(await runs.checkpoints(to, id)).toEqual(await runs.checkpoints(from, id));
  const fork = newId("fork");
  const checkpoint = (await runs.checkpoints(to, id)).at(-2)?.id ?? "";
  await runs.fork(to, id, { newId: fork, from: { fromCheckpoint: checkpoint } });
  await reached(to, fork, "completed");
});

it("RSR1: an existing run with other contents stays, and is a conflict (OP2)", async () => {
  const tenant = newId("there");
  const id = await start("single", { tenant });
  await reached(tenant, id, "completed");
  const exported = await exportOf(tenant, id);
  expect(await importInto(tenant, exported)).toEqual({ id, outcome: "same" });
  const other = { ...exported, start: { ...exported.start, inputs: { topic: "something else" } } };
  expect(await importInto(tenant, other)).toEqual({ id, outcome: "conflict" });
  expect((await runs.get(tenant, id)).inputs).toEqual(exported.run.inputs);
});

it("RSR2, BUP3: restores an open run as cancelled, or continues it under one new id on request", async () => {
  const [from, to] = [newId("open-from"), newId("open-to")];
  const id = await start("asking", { tenant: from });
  await reached(from, id, "waiting");
  const exported = await exportOf(from, id);
  expect(await importInto(to, exported)).toEqual({ id, outcome: "restored" });
  expect(await runs.get(to, id)).toMatchObject({
    status: "cancelled",
    error: { code: "run_cancelled", message: expect.stringContaining("waiting") as string },
  });
  const { resumedAs = "" } = await importInto(to, exported, "&resume=1");
  expect(await importInto(to, exported, "&resume=1")).toEqual({ id, outcome: "same", resumedAs });
  const resumed = await reached(to, resumedAs, "waiting");
  expect(resumed).toMatchObject({ origin: { runId: id } });
  expect(resumed.waits.map(({ key }) => key)).toEqual(exported.run.waits.map(({ key }) => key));
  await runs.resume(to, resumedAs, { feedback: "three" });
  await reached(to, resumedAs, "completed");
  expect((await runs.list({ tenant: to, limit: 10 })).items).toHaveLength(2);
});

it("BUP1: rows and runs of other tenants are for the operator", async () => {
  expect(await ask("/backup")).toMatchObject({ format: "edgecrew.backup/1", tenant: "default" });
  expect(await ask("/backup?tenant=other")).toMatchObject({ tenant: "other" });
});

it("rejects an invalid export with its faults, and restores no part of it", async () => {
  const tenant = newId("faults");
  const id = await start("single", { tenant });
  await reached(tenant, id, "completed");
  const exported = await exportOf(tenant, id);
  const faulty: readonly unknown[] = [
    {},
    { ...exported, format: "edgecrew.run/2" },
    { ...exported, run: { ...exported.run, id: "a/b" } },
    { ...exported, steps: [{ key: "a" }] },
    { ...exported, redacted: true },
  ];
  for (const each of faulty)
    await expect(ask(`/runs/import?tenant=${newId("none")}`, each)).rejects.toMatchObject({
      code: "invalid_input",
    });
});

it("lists every run and wait again from its object when the database was emptied (OP3)", async () => {
  const done = await start("single");
  const asking = await start("asking");
  await reached(TENANT, done, "completed");
  await reached(TENANT, asking, "waiting");
  const listed = async (): Promise<unknown> => {
    const { items } = await runs.list({ tenant: TENANT, limit: 100 });
    const waits = await runs.waits({ tenant: TENANT, limit: 100 });
    return [
      items.filter(({ id }) => id === done),
      items.filter(({ id }) => id === asking).map((row) => ({ ...row, updatedAt: "" })),
      waits.items.filter(({ run }) => run.id === asking),
    ];
  };
  await expect
    .poll(async () => ((await listed()) as unknown[][]).map((rows) => rows.length), SOON)
    .toEqual([1, 1, 1]);
  const before = await listed();
  await env.DB.batch([
    env.DB.prepare("DELETE FROM runs WHERE tenant = ?").bind(TENANT),
    env.DB.prepare("DELETE FROM waits WHERE tenant = ?").bind(TENANT),
  ]);
  expect(await listed()).toEqual([[], [], []]);
  expect(await runs.reindex(TENANT, [done, asking, "no-such-run"])).toBe(2);
  expect(await listed()).toEqual(before);
});
