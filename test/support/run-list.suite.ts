// Lists of many runs, whatever the database: `describeRunLists(form)`.
import { beforeAll, describe, expect, it } from "vitest";
import { D1RunIndex } from "../../src/cloudflare/runs/d1-run-index.ts";
import type { BatchDatabase, Statement } from "../../src/cloudflare/d1.ts";
import type { RunQuery } from "../../src/runtime/run-directory.ts";
import { manyRuns, storeRuns, type StoredRun } from "./many-runs.ts";

const TENANT = "many";
const COUNT = 20_000;
const MAX_READ = 5_100;

type Case = {
  readonly query: Partial<RunQuery>;
  readonly fits: (run: StoredRun) => boolean;
};

const at = (n: number): number => 1_700_000_000_000 + n * 1000;

const CASES: readonly Case[] = [
  { query: {}, fits: () => true },
  { query: { name: "crew-3" }, fits: ({ name }) => name === "crew-3" },
  { query: { name: "crew-9" }, fits: () => false },
  {
    query: { kind: ["flow", "agent"], status: ["failed"] },
    fits: ({ kind, status }) => ["flow", "agent"].includes(kind) && status === "failed",
  },
  { query: { status: "waiting" }, fits: ({ status }) => status === "waiting" },
  {
    query: { status: ["queued", "running", "waiting"], name: "crew-1" },
    fits: ({ status, name }) =>
      ["queued", "running", "waiting"].includes(status) && name === "crew-1",
  },
  {
    query: { status: ["queued", "running", "waiting"] },
    fits: ({ status }) => ["queued", "running", "waiting"].includes(status),
  },
  {
    query: { status: ["running", "failed"] },
    fits: ({ status }) => status === "running" || status === "failed",
  },
  { query: { tag: "rare" }, fits: ({ tags }) => tags.includes("rare") },
  {
    query: { tag: ["all", "even"], status: "cancelled" },
    fits: ({ tags, status }) => tags.includes("even") && status === "cancelled",
  },
  {
    query: { trigger: "api" },
    fits: ({ startedBy, parent }) => startedBy === null && parent === null,
  },
  {
    query: { trigger: "schedule" },
    fits: ({ startedBy }) => startedBy?.startsWith("schedule:") === true,
  },
  { query: { trigger: "hook:orders" }, fits: ({ startedBy }) => startedBy === "hook:orders" },
  {
    query: { from: new Date(at(1000)).toISOString(), to: new Date(at(1200)).toISOString() },
    fits: ({ createdAtMs }) => createdAtMs >= at(1000) && createdAtMs < at(1200),
  },
  {
    query: { name: "crew-2", from: new Date(at(6000)).toISOString(), top: true },
    fits: ({ name, createdAtMs, parent }) =>
      name === "crew-2" && createdAtMs >= at(6000) && parent === null,
  },
  { query: { origin: "run-0007" }, fits: ({ origin }) => origin === "run-0007" },
  { query: { parent: "run-0003" }, fits: ({ parent }) => parent === "run-0003" },
  { query: { error: "timeout" }, fits: ({ error }) => error === "timeout" },
  { query: { waiting: "person" }, fits: ({ waits }) => waits > 0 },
  { query: { minCostUsd: 0.9 }, fits: ({ cost }) => cost >= 0.9 },
  { query: { minDurationMs: 59_900 }, fits: ({ tookMs }) => tookMs !== null && tookMs >= 59_900 },
];

export function describeRunLists(form: {
  readonly name: string;
  readonly database: BatchDatabase;
}): void {
  describe(`lists of ${COUNT} runs ${form.name}`, () => {
    const runs = manyRuns(COUNT);
    const reads = { rows: 0 };
    const index = new D1RunIndex(counting(form.database, reads));

    beforeAll(async () => {
      await storeRuns(form.database, TENANT, runs);
      await storeRuns(form.database, "other", runs.slice(0, 10));
    });

    it.each(CASES)(
      "RLS1, RLS2: finds exactly what fits $query, page by page (CA11)",
      async ({ query, fits }) => {
        const wanted = runs
          .filter(fits)
          .toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1));
        const found: string[] = [];
        let cursor: string | undefined;
        do {
          reads.rows = 0;
          const page = await index.list({ tenant: TENANT, limit: 200, ...query, cursor });
          expect(reads.rows).toBeLessThanOrEqual(MAX_READ);
          expect(page.items.length).toBeLessThanOrEqual(200);
          found.push(...page.items.map(({ id }) => id));
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        expect(found).toEqual(wanted.map(({ id }) => id));
      },
    );

    it("counts what fits among the newest 10,000 (CA11)", async () => {
      const page = await index.list({ tenant: TENANT, limit: 1, name: "crew-3", count: true });
      expect(page).toMatchObject({
        count: runs.filter(({ name }) => name === "crew-3").length,
        countCapped: false,
      });
      const all = await index.list({ tenant: TENANT, limit: 1, count: true });
      expect(all).toMatchObject({ count: 10_000, countCapped: true });
    });

    it.each<[string, Partial<RunQuery>, (run: StoredRun) => boolean]>([
      ["without children", { name: "crew-3" }, (run) => run.name === "crew-3" && !run.parent],
      [
        "over several statuses",
        { status: ["queued", "waiting"] },
        (run) => ["queued", "waiting"].includes(run.status) && !run.parent,
      ],
      ["of the children of one run", { parent: "run-0003" }, (run) => run.parent === "run-0003"],
      ["of nothing", { name: "crew-9" }, () => false],
      ["of words that nothing has", { tag: "none" }, () => false],
    ])("sums up what they consumed, %s", async (_, query, fits) => {
      const { sums } = await index.list({ tenant: TENANT, limit: 1, ...query, count: true });
      const fitting = runs.filter(fits);
      const cost = fitting.reduce((sum, run) => sum + run.cost, 0);
      expect(sums).toEqual({
        tokens: fitting.length,
        requests: fitting.length,
        costUsd: expect.closeTo(cost, 6) as number,
      });
      const without = await index.list({ tenant: TENANT, limit: 1, ...query });
      expect(without).not.toHaveProperty("sums");
    });

    it("RLS3: refuses a cursor of another filter", async () => {
      const { nextCursor } = await index.list({ tenant: TENANT, limit: 1, name: "crew-3" });
      const other = index.list({ tenant: TENANT, limit: 1, name: "crew-2", cursor: nextCursor });
      await expect(other).rejects.toMatchObject({
        code: "invalid_input",
        issues: [{ path: "/cursor" }],
      });
    });
  });
}

/** The database, with the rows that it says it has read; `node:sqlite` does not say. */
function counting(database: BatchDatabase, reads: { rows: number }): BatchDatabase {
  const counted = (statement: Statement): Statement => ({
    bind: (...values) => counted(statement.bind(...values)),
    first: () => statement.first(),
    run: () => statement.run(),
    all: async () => {
      const answer = (await statement.all()) as Awaited<ReturnType<Statement["all"]>> & {
        readonly meta?: { readonly rows_read?: number };
      };
      reads.rows += answer.meta?.rows_read ?? 0;
      return answer;
    },
  });
  return { prepare: (sql) => counted(database.prepare(sql)), batch: (all) => database.batch(all) };
}
