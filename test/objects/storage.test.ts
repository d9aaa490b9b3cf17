import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { runNamespace } from "../../src/cloudflare/runs/run-namespace.ts";
import { callRun } from "../../src/cloudflare/runs/run-object-api.ts";
import {
  alarmOf,
  evict,
  newId,
  query,
  reaches,
  runs,
  serveAlarm,
  start,
  stubOf,
  TENANT,
} from "./support/runs.ts";

function tablesOf(id: string): Promise<Array<{ name: string }>> {
  return query<{ name: string }>(
    id,
    `SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'`,
  );
}

it("reading an unstarted object writes no row", async () => {
  const id = newId("never");
  await Promise.allSettled([
    runs.get(TENANT, id),
    runs.settled(TENANT, id, 10),
    runs.steps(TENANT, id, { limit: 10, values: false }),
    runs.resume(TENANT, id, { feedback: "x" }),
    runs.cancel(TENANT, id, undefined),
    runs.pause(TENANT, id),
    runs.unpause(TENANT, id),
    runs.fork(TENANT, id, { newId: newId("fork"), from: { fromTask: "x" } }),
    runs.events(TENANT, id, new Request("https://api/events")),
    runs.reindex(TENANT, [id]),
  ]);
  expect(await callRun(runNamespace(env), { tenant: TENANT, id }, ["poke"])).toBe(false);
  await serveAlarm(id);
  expect(await tablesOf(id)).toEqual([]);
  expect(await alarmOf(id)).toBeNull();
});

it("a start that fails half way leaves no trace", async () => {
  const id = newId("single");
  await runInDurableObject(stubOf(id), (_, state) => {
    const { sql } = state.storage;
    const exec = sql.exec.bind(sql);
    sql.exec = ((text: string, ...bindings: SqlStorageValue[]) => {
      if (text.startsWith("INSERT")) throw new Error("the disk is full");
      return exec(text, ...bindings);
    }) as typeof sql.exec;
  });
  await expect(start("single", { id })).rejects.toMatchObject({
    message: expect.stringContaining("the disk is full") as string,
  });
  expect(await tablesOf(id)).toEqual([]);
  await evict(id);
  await start("single", { id });
  await reaches(id, "completed");
});

it("an object written by newer code is refused, and left unchanged", async () => {
  const id = await start("asking");
  await reaches(id, "waiting");
  const [row] = await query(id, `SELECT version FROM schema_version WHERE n = 1`);
  await query(id, `UPDATE schema_version SET version = 99 WHERE n = 1`);
  await evict(id);
  await expect(runs.get(TENANT, id)).rejects.toMatchObject({
    message: expect.stringContaining("newer version") as string,
  });
  expect(await query(id, `SELECT version FROM schema_version WHERE n = 1`)).toEqual([
    { version: 99 },
  ]);
  await query(id, `UPDATE schema_version SET version = ${Number(row?.["version"])} WHERE n = 1`);
  await evict(id);
  expect((await runs.get(TENANT, id)).status).toBe("waiting");
});
