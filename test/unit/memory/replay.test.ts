// A memory at work in a run: whatever the process dies of, nothing is lost and nothing is there twice.
import { describe, expect, it } from "vitest";
import { Memory } from "../../../src/memory/memory.ts";
import type { MemoryService } from "../../../src/memory/memory-service.ts";
import type { Embedder } from "../../../src/vectors/embedder.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { RunScope } from "../../../src/events/run-scope.ts";
import { inMemoryStorage } from "../../../src/memory/in-memory-records.ts";
import type { RecordChange } from "../../../src/memory/memory-records.ts";
import type { MemoryStorage } from "../../../src/memory/memory-records.ts";
import { MemoryWrites } from "../../../src/memory/memory-writes.ts";
import type { VectorRow, VectorStores } from "../../../src/vectors/vector-store.ts";
import { cutAfterEveryWrite, runWhole, type Subject } from "../../support/cut-off.ts";
import {
  analysisOf,
  COMPLETE,
  memoryScript,
  planOf,
  saidEmbedder,
  type Answers,
} from "../../support/memory-harness.ts";

const ANSWERS: Answers = {
  analysis: analysisOf("/notes", 0.8, { entities: ["Ann"] }),
  consolidation: (text) =>
    text.includes("merge")
      ? planOf(false, {
          action: "update",
          id: /id: (\S+)/.exec(text)?.[1] ?? "",
          content: "merged axis=77",
        })
      : planOf(true),
  exploration: "Missing: axis=3",
  extraction: { memories: ["told axis=4"] },
};

type Noted = { readonly calls: string[]; readonly storage: MemoryStorage };

/** Storage that notes what is written to it. */
function noting(): Noted {
  const calls: string[] = [];
  const { tenant, records, vectors } = inMemoryStorage();
  const apply = records.apply.bind(records);
  const noted = Object.assign(records, {
    apply: (change: RecordChange) => {
      const sizes = [change.inserts, change.updates, change.deletes].map((list) => list?.length);
      calls.push(`apply ${change.op.split(":").slice(1).join(":")} ${sizes.join(" ")}`);
      return apply(change);
    },
  });
  return {
    calls,
    storage: {
      tenant,
      records: noted,
      vectors: {
        open: (collection) => {
          const store = vectors.open(collection);
          const upsert = store.upsert.bind(store);
          return Object.assign(store, {
            upsert: (rows: readonly VectorRow[]) => {
              calls.push(`upsert ${rows.map(({ id }) => id).join(" ")}`);
              return upsert(rows);
            },
          });
        },
      },
    },
  };
}

/** A run that works with a memory, and what is stored in the end. */
function subject(
  work: (memory: Memory, scope: RunScope) => Promise<JsonValue>,
  { storage, calls }: Noted = noting(),
): Subject {
  const model = memoryScript(ANSWERS);
  const embedder = saidEmbedder();
  const memory = new Memory({ llm: model, embedder });
  return {
    services: { memory: storage },
    calls,
    program: {
      tasks: [],
      run: async (scope) => {
        const result = await scope.run(() => work(memory, scope));
        const { items } = await storage.records.list({}, { limit: 100 });
        const pending = await storage.records.pendingIndexing({}, 100);
        return {
          result,
          stored: items.map(({ content, scope: path }) => `${path} ${content}`).toSorted(),
          ids: items.map(({ id }) => id).toSorted(),
          unindexed: pending.missing.length + pending.stale.length,
        };
      },
    },
  };
}

describe("SV6, SV7, SV5: a save interrupted after every stored step", () => {
  it("ends with the same records, events and answers", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() =>
      subject(async (memory) => {
        const old = await memory.remember("base", COMPLETE);
        const merged = await memory.remember("merge cos=0.9", COMPLETE);
        const filed = await memory.remember("filed axis=9");
        await memory.rememberMany(["one axis=5", "two axis=6", "one axis=5"], COMPLETE);
        const matches = await memory.recall("axis=5");
        return {
          same: old?.id === merged?.id,
          filed: filed?.scope ?? "",
          matches: matches.map(({ record }) => record.content),
        };
      }),
    );
    expect(whole.run.output).toMatchObject({
      result: { same: true, filed: "/notes", matches: expect.arrayContaining(["one axis=5"]) },
      stored: ["/ merged axis=77", "/ one axis=5", "/ two axis=6", "/notes filed axis=9"],
      unindexed: 0,
    });
    expect(cut.length).toBeGreaterThan(40);
    for (const { course } of cut) expect(course).toEqual(whole.course);
  });

  it("MW1, MW2: beside the run, where the run drains before it ends", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() =>
      subject(async (memory, scope) => {
        const writes = new MemoryWrites();
        const bound = memory.inRun({ scope: scope.at("work"), writes });
        await scope.at("first").callOnce(() => "first");
        await bound.rememberMany(["one axis=5", "two axis=6"], COMPLETE);
        await bound.rememberMany(["three axis=7"]);
        await scope.at("second").callOnce(() => "second");
        await writes.drain();
        return "done";
      }),
    );
    expect(whole.run.output).toMatchObject({
      stored: ["/ one axis=5", "/ two axis=6", "/notes three axis=7"],
      unindexed: 0,
    });
    for (const { course } of cut) expect(course).toEqual(whole.course);
  });

  it("UM4: is awaited when no other work runs", async () => {
    const storage = noting();
    const { run } = await runWhole(
      subject(async (memory) => {
        await memory.rememberMany(["one axis=5"], COMPLETE);
        return (await storage.storage.records.list({}, { limit: 10 })).items.length;
      }, storage),
    );
    expect(run.output).toMatchObject({ result: 1 });
  });

  it("EM1, SV1: a save of many is steps of a hundred texts", async () => {
    const embedder = saidEmbedder();
    const memory = new Memory({ embedder, llm: memoryScript({}) });
    const { run } = await runWhole(
      subject(async (_, scope) => {
        const texts = Array.from({ length: 250 }, (__, index) => `fact axis=${index}`);
        const bound = memory.inRun({ scope: scope.at("many") });
        await bound.rememberMany(texts, COMPLETE);
        return (await bound.info()).recordCount;
      }),
    );
    expect(run.output).toMatchObject({ result: 250, unindexed: 0 });
    expect(embedder.batches.map((batch) => batch.length)).toEqual([100, 100, 50]);
  });

  it("update, forget and reset come out the same", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() =>
      subject(async (memory) => {
        const one = await memory.remember("one axis=5", COMPLETE);
        await memory.remember("two axis=6", { ...COMPLETE, scope: "/old" });
        await memory.update(one?.id ?? "", { content: "changed axis=8", scope: "/new" });
        await memory.forget({ scope: "/old" });
        await memory.scope("/none").reset();
        return (await memory.info()).childScopes.join();
      }),
    );
    expect(whole.run.output).toMatchObject({
      result: "/new",
      stored: ["/new changed axis=8"],
      unindexed: 0,
    });
    for (const { course } of cut) expect(course.output).toEqual(whole.course.output);
  });
});

describe("events", () => {
  it("reports saves and recalls, each with its enclosing event", async () => {
    const { events } = await runWhole(
      subject(async (memory) => {
        await memory.remember("base", { ...COMPLETE, agentRole: "Clerk", metadata: { a: 1 } });
        await memory.rememberMany(["one axis=5", "two axis=6"], COMPLETE);
        await memory.recall("base", { limit: 3 });
        return null;
      }),
    );
    const told = events.filter(({ type }) => type.startsWith("memory_"));
    expect(told.map(({ type }) => type)).toEqual([
      "memory_save_started",
      "memory_save_completed",
      "memory_save_started",
      "memory_save_completed",
      "memory_query_started",
      "memory_query_completed",
    ]);
    expect(told[0]).toMatchObject({ value: "base", agentRole: "Clerk", metadata: { a: 1 } });
    expect(told[1]).toMatchObject({
      value: "base",
      saved: [expect.any(String)],
      startedId: told[0]?.id,
    });
    expect(told[2]).toMatchObject({ value: "2 memories" });
    expect(told[3]).toMatchObject({ value: "2 memories saved" });
    expect(told[5]).toMatchObject({ query: "base", limit: 3, startedId: told[4]?.id });
  });

  it("MS1: reports full text in place of the index", async () => {
    const storage = noting();
    const { run, events } = await runWhole(
      subject(async (memory) => {
        await memory.remember("the kettle is in the kitchen", COMPLETE);
        const { vectors } = storage.storage;
        const broken: VectorStores = {
          open: (collection) =>
            Object.assign(vectors.open(collection), {
              query: () => Promise.reject(new Error("no index today")),
            }),
        };
        const there = memory.inRun({
          scope: here()
            .offering({ memory: { ...storage.storage, vectors: broken } })
            .at("x"),
        });
        const found = await there.recall("kettle?");
        return found.map(({ record }) => record.content);
      }, storage),
    );
    expect(run.output).toMatchObject({ result: ["the kettle is in the kitchen"] });
    const degraded = events.find(({ type }) => type === "memory_index_degraded");
    expect(degraded).toMatchObject({ reason: "no index today", missing: 0 });
  });

  it("MW3: a failed save is reported, and a background run continues", async () => {
    const noted = noting();
    // Only the deployment's own embedder may take over the index.
    const embedder: MemoryService["embedder"] = (spec) => (spec ?? saidEmbedder()) as Embedder;
    const made = subject(async (memory, scope) => {
      const writes = new MemoryWrites();
      const other = new Memory({ embedder: saidEmbedder({ model: "test/other" }) });
      await memory.remember("base", COMPLETE);
      await other.inRun({ scope: scope.at("other"), writes }).rememberMany(["x axis=3"], COMPLETE);
      await writes.drain();
      return "went on";
    }, noted);
    const { run, events } = await runWhole({
      ...made,
      services: { memory: { ...noted.storage, embedder } },
    });
    expect(run.output).toMatchObject({ result: "went on" });
    const failed = events.find(({ type }) => type === "memory_save_failed");
    expect(failed).toMatchObject({
      value: "1 memory (background)",
      error: expect.stringMatching(/test\/other/),
    });
  });
});

function here(): RunScope {
  const scope = RunScope.current();
  if (scope === undefined) throw new Error("there is no run here");
  return scope;
}
