// The inbox of those who answer, in a real D1.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { WaitSummary } from "../../src/runtime/run-directory.ts";
import { newId, reaches, runs, SOON, start } from "./support/runs.ts";

async function waitsOf(tenant: string): Promise<readonly WaitSummary[]> {
  return (await runs.waits({ tenant, limit: 50 })).items;
}

/** A tenant of one's own, so that nobody else's questions are in the inbox. */
async function asking(tenant: string, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    await start("asking", { id, tenant });
    await expect
      .poll(async () => (await waitsOf(tenant)).some(({ run }) => run.id === id), SOON)
      .toBe(true);
  }
}

it("lists the questions of two runs, and each only until it is answered", async () => {
  const tenant = newId("inbox");
  await asking(tenant, "first", "second");
  const [first, second] = await waitsOf(tenant);
  expect(first).toMatchObject({
    kind: "human",
    prompt: "How many?",
    run: { id: "first", kind: "crew", name: "asking" },
  });
  expect(second).toMatchObject({ run: { id: "second" } });
  expect(Date.parse(first?.openedAt ?? "")).toBeLessThanOrEqual(Date.parse(second?.openedAt ?? ""));
  await runs.resume(tenant, "first", { key: first?.key ?? "", feedback: "three" });
  await expect
    .poll(async () => (await waitsOf(tenant)).map(({ run }) => run.id), SOON)
    .toEqual(["second"]);
  await runs.cancel(tenant, "second", undefined);
  await expect.poll(() => waitsOf(tenant), SOON).toEqual([]);
});

it("pages, the oldest first, and hides other tenants' waits", async () => {
  const tenant = newId("inbox");
  await asking(tenant, "a", "b", "c");
  const seen: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await runs.waits({ tenant, limit: 1, cursor });
    seen.push(...page.items.map(({ run }) => run.id));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  expect(seen).toEqual(["a", "b", "c"]);
  expect(await waitsOf(newId("inbox"))).toEqual([]);
});

it("receives a question while other work goes on", async () => {
  const tenant = newId("inbox");
  await start("asking-twice", { id: "twice", tenant });
  await expect
    .poll(async () => new Set((await waitsOf(tenant)).map(({ prompt }) => prompt)), SOON)
    .toEqual(new Set(["First?", "Second?"]));
});

it("is whole again after the loss of the index", async () => {
  const tenant = newId("inbox");
  await asking(tenant, "lost");
  for (const table of ["runs", "waits"])
    await env.DB.prepare(`DELETE FROM ${table} WHERE tenant = ?`).bind(tenant).run();
  expect(await waitsOf(tenant)).toEqual([]);
  expect(await runs.reindex(tenant, ["lost"])).toBe(1);
  expect(await waitsOf(tenant)).toMatchObject([{ run: { id: "lost" }, prompt: "How many?" }]);
});

it("has no waits of a deleted run", async () => {
  const tenant = newId("inbox");
  await asking(tenant, "gone");
  await env.DB.prepare(`UPDATE waits SET opened_at = 1 WHERE tenant = ?`).bind(tenant).run();
  await runs.cancel(tenant, "gone", undefined);
  await runs.delete(tenant, "gone");
  const { results } = await env.DB.prepare(`SELECT * FROM waits WHERE tenant = ?`)
    .bind(tenant)
    .all();
  expect(results).toEqual([]);
});

it("has no waits of runs without questions", async () => {
  const id = await start("single");
  await reaches(id, "completed");
  const { results } = await env.DB.prepare(`SELECT * FROM waits WHERE run_id = ?`).bind(id).all();
  expect(results).toEqual([]);
});
