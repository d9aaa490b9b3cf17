import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { D1EvaluationStore } from "../../../src/cloudflare/stores/d1-evaluation-store.ts";
import { D1TrainedStore } from "../../../src/cloudflare/stores/d1-trained-store.ts";
import type { Database, Statement } from "../../../src/cloudflare/d1.ts";
import {
  InMemoryEvaluationStore,
  type EvaluationStore,
  type StoredEvaluation,
} from "../../../src/crew/actions/evaluation-store.ts";
import { InMemoryTrainedStore, type TrainedStore } from "../../../src/crew/actions/training.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { readSource } from "../../support/source-files.ts";

/** `node:sqlite` as D1 answers, with the schema of this part. */
function database(): Database {
  const sqlite = new DatabaseSync(":memory:");
  sqlite.exec(readSource("migrations/0004_training.sql"));
  const statement = (
    sql: string,
    values: ReadonlyArray<string | number | null | Uint8Array>,
  ): Statement => ({
    bind: (...bound) => statement(sql, bound),
    first: async () => sqlite.prepare(sql).get(...values) ?? null,
    all: async () => ({ results: sqlite.prepare(sql).all(...values) }),
    run: async () => ({ meta: { changes: Number(sqlite.prepare(sql).run(...values).changes) } }),
  });
  return { prepare: (sql) => statement(sql, []) };
}

const lesson = { suggestions: ["ä"], quality: 7.5, finalSummary: "s" };

describe.each<[string, () => TrainedStore]>([
  ["in memory", () => new InMemoryTrainedStore()],
  ["in D1", () => new D1TrainedStore(database(), "acme", new SimulatedClock())],
])("trainings %s", (_, open) => {
  it("are written whole, found by name, and deleted once", async () => {
    const store = open();
    expect(await store.get("a")).toBeUndefined();
    await store.put({ name: "a", agents: { Old: lesson } });
    await store.put({ name: "a", agents: { "Writer's": lesson } });
    expect(await store.get("a")).toEqual({ name: "a", agents: { "Writer's": lesson } });
    expect(await store.get("A")).toBeUndefined();
    await store.put({ name: "b", agents: {} });
    await store.put({ name: "B", agents: {} });
    const summary = { name: "a", quality: { "Writer's": 7.5 }, updatedAtMs: expect.any(Number) };
    expect((await store.list({ limit: 5 })).map(({ name }) => name)).toEqual(["B", "a", "b"]);
    expect(await store.list({ after: "B", limit: 1 })).toEqual([summary]);
    expect(await store.delete("a")).toBe(true);
    expect(await store.delete("a")).toBe(false);
  });
});

describe.each<[string, () => EvaluationStore]>([
  ["in memory", () => new InMemoryEvaluationStore()],
  ["in D1", () => new D1EvaluationStore(database(), "acme")],
])("evaluations %s", (_, open) => {
  it("are listed newest first, in pages, one for each run, by crew", async () => {
    const store = open();
    const put = (runId: string, createdAtMs: number, more: Partial<StoredEvaluation> = {}) =>
      store.put({ runId, crew: "c", evalModel: "judge", report: {}, createdAtMs, ...more });
    for (const id of ["b", "a", "d"]) await put(id, 5);
    await put("z", 4);
    await put("y", 9);
    await put("other", 9, { crew: "x" });
    await put("y", 9, { crew: "x" });
    await put("a", 5, { report: { again: true } });
    const all = await store.list("c", { limit: 10 });
    expect(all.map(({ runId }) => runId)).toEqual(["y", "d", "b", "a", "z"]);
    expect(all[3]).toEqual({
      runId: "a",
      crew: "c",
      evalModel: "judge",
      report: { again: true },
      createdAtMs: 5,
    });
    const rest = await store.list("c", { after: all[1], limit: 2 });
    expect(rest.map(({ runId }) => runId)).toEqual(["b", "a"]);
  });
});

it("in D1 are separate for each tenant", async () => {
  const db = database();
  const clock = new SimulatedClock();
  await new D1TrainedStore(db, "acme", clock).put({ name: "a", agents: {} });
  const report = { runId: "r", crew: "c", evalModel: "j", report: null, createdAtMs: 1 };
  await new D1EvaluationStore(db, "acme").put(report);
  expect(await new D1TrainedStore(db, "other", clock).get("a")).toBeUndefined();
  expect(await new D1TrainedStore(db, "other", clock).list({ limit: 5 })).toEqual([]);
  expect(await new D1TrainedStore(db, "other", clock).delete("a")).toBe(false);
  expect(await new D1EvaluationStore(db, "other").list("c", { limit: 1 })).toEqual([]);
  expect(await new D1EvaluationStore(db, "acme").list("c", { limit: 1 })).toEqual([report]);
});
