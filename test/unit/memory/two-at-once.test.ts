import { describe, expect, it } from "vitest";
import { InMemoryRecords } from "../../../src/memory/in-memory-records.ts";
import {
  analysisOf,
  COMPLETE,
  memoryWorld,
  planOf,
  saidEmbedder,
  type Answers,
} from "../../support/memory-harness.ts";
import { InMemoryVectorStores } from "../../../src/vectors/exact-vectors.ts";
import type { MemoryStorage } from "../../../src/memory/memory-records.ts";

/** Views of one storage that do not know of each other, as two processes have them. */
function processes(count: number, answers: Answers) {
  const storage = {
    tenant: "acme",
    records: new InMemoryRecords(),
    vectors: new InMemoryVectorStores(),
  };
  const said = saidEmbedder();
  return Array.from({ length: count }, () => {
    const batches: (readonly string[])[] = [];
    const embed: typeof said.embed = (texts, options) => {
      batches.push(texts);
      return said.embed(texts, options);
    };
    // Another object each, so that no queue of one process puts their saves in order.
    const records = new Proxy(storage.records, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    return memoryWorld(answers, {
      storage: { ...storage, records } satisfies MemoryStorage,
      embedder: { ...said, batches, embed },
    });
  });
}

/** Keeps the one that says the same. */
const SAME: Answers = {
  consolidation: (text) => planOf(false, { action: "keep", id: /id: (\S+)/.exec(text)?.[1] ?? "" }),
};

describe("SV8: two concurrent saves", () => {
  it("the same thing: it is there once", async () => {
    const worlds = processes(8, SAME);
    const records = await Promise.all(
      worlds.map(({ memory }) => memory.remember("base", COMPLETE)),
    );
    expect(await worlds[0]?.all()).toHaveLength(1);
    expect(new Set(records.map((record) => record?.id)).size).toBe(1);
  });

  it("the same thing, twenty of them and no model: it is there once", async () => {
    const worlds = processes(20, {});
    const records = await Promise.all(
      worlds.map(({ memory }) => memory.remember("base", COMPLETE)),
    );
    expect(await worlds[0]?.all()).toHaveLength(1);
    expect(new Set(records.map((record) => record?.id)).size).toBe(1);
  });

  it("the same in other words: a save stores its text after too many conflicts, and loses none", async () => {
    const worlds = processes(12, SAME);
    await Promise.all(
      worlds.map(({ memory }, index) => memory.remember(`it is ${index} cos=0.95`, COMPLETE)),
    );
    const stored = (await worlds[0]?.all()) ?? [];
    expect(stored.length).toBeGreaterThanOrEqual(1);
  });

  it("different things: all of them are there, and no model is asked twice about one", async () => {
    const worlds = processes(6, { analysis: analysisOf("/x") });
    await Promise.all(
      worlds.map(({ memory }, index) => memory.remember(`it is ${index} axis=${index}`)),
    );
    expect(await worlds[0]?.all()).toHaveLength(6);
    for (const { model } of worlds) expect(model.calls).toHaveLength(1);
  });

  it("in scopes of their own: neither looks twice", async () => {
    const worlds = processes(2, SAME);
    await Promise.all(
      worlds.map(({ memory }, index) =>
        memory.remember("base", { ...COMPLETE, scope: `/${index}` }),
      ),
    );
    expect(await worlds[0]?.all()).toHaveLength(2);
    for (const { embedder } of worlds) expect(embedder.batches).toHaveLength(1);
  });

  it("changes of one record are all applied", async () => {
    const worlds = processes(2, {
      consolidation: (text) => {
        const old = /content: (.*)/.exec(text)?.[1]?.replace(/ cos.*$/, "") ?? "";
        const fresh = /<new_memory>\n(\S+)/.exec(text)?.[1] ?? "";
        const id = /id: (\S+)/.exec(text)?.[1] ?? "";
        return planOf(false, { action: "update", id, content: `${old} ${fresh} cos=0.95` });
      },
    });
    await worlds[0]?.put({ content: "base" });
    await Promise.all(
      worlds.map(({ memory }, index) => memory.remember(`fact${index} cos=0.9`, COMPLETE)),
    );
    const [record, ...others] = (await worlds[0]?.all()) ?? [];
    expect(others).toEqual([]);
    expect(record?.content).toMatch(/fact0.*fact1|fact1.*fact0/);
  });

  it("one after the other within a process", async () => {
    const { memory, all } = memoryWorld(SAME);
    await Promise.all([memory.remember("base", COMPLETE), memory.remember("base", COMPLETE)]);
    await memory.rememberMany(["base"], COMPLETE);
    await memory.rememberMany(["base"], COMPLETE);
    await memory.drainWrites();
    expect(await all()).toHaveLength(1);
  });
});
