import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { MemoryRecord } from "../../../src/memory/memory-record.ts";
import {
  analysisOf,
  COMPLETE,
  memoryWorld,
  planOf,
  saidEmbedder,
} from "../../support/memory-harness.ts";

const contents = (records: readonly MemoryRecord[]): string[] =>
  records.map(({ content }) => content).toSorted();

describe("saving", () => {
  it("SP1: asks no model for complete fields without similar records", async () => {
    const { memory, model, all } = memoryWorld();
    const given = { scope: "/facts", categories: ["a"], importance: 0.9, metadata: { x: 1 } };
    const record = await memory.remember("base", { ...given, source: "u1", private: true });
    expect(model.calls).toHaveLength(0);
    expect(record).toMatchObject({ content: "base", ...given, source: "u1", private: true });
    expect(await all()).toEqual([record]);
  });

  it("SP1: asks once about old and new records from a similarity of 0.85", async () => {
    const { memory, model, put, all } = memoryWorld({ consolidation: planOf(true) });
    await put({ content: "base" });
    await memory.remember("new cos=0.85", COMPLETE);
    expect(model.kinds()).toEqual(["consolidation"]);
    expect(await all()).toHaveLength(2);
  });

  it("SP1: and not at 0.8499", async () => {
    const { memory, model, put } = memoryWorld();
    await put({ content: "base" });
    await memory.remember("new cos=0.8499", COMPLETE);
    expect(model.calls).toHaveLength(0);
  });

  it("SP1: has a model judge missing fields", async () => {
    const { memory, model } = memoryWorld({ analysis: analysisOf("/ignored", 0.7) });
    const record = await memory.remember("base", { scope: "/facts" });
    expect(model.kinds()).toEqual(["analysis"]);
    expect(record).toMatchObject({ scope: "/facts", importance: 0.7, categories: ["fact"] });
  });

  it("SP1: asks both questions at once", async () => {
    const { memory, model, put } = memoryWorld({
      analysis: () => ({ text: JSON.stringify(analysisOf("/x")), delayMs: 0 }),
      consolidation: planOf(true),
    });
    await put({ content: "base" });
    await memory.remember("new cos=0.9");
    expect(model.kinds().toSorted()).toEqual(["analysis", "consolidation"]);
  });

  it("SP1: takes an empty list of categories for a choice", async () => {
    const { memory, model } = memoryWorld();
    await memory.remember("base", { scope: "/", importance: 0.1, categories: [] });
    expect(model.calls).toHaveLength(0);
  });

  it.each([
    [
      "SV2: drops a near repetition of an earlier text of the same save",
      0.985,
      "pays: Acme, late",
      1,
    ],
    ["SV2: keeps a less similar text", 0.979, "pays: Acme, late", 2],
    ["SV2: keeps a text with a further word", 0.999, "Acme never pays late", 2],
    ["SV2: keeps a text with another number", 0.999, "Acme pays 12 late", 2],
    ["SV2: drops a repetition in full-width letters", 0.999, "ＡＣＭＥ ｐａｙｓ ｌａｔｅ", 1],
    [
      "SV2: keeps a text with another word in a script without spaces",
      0.999,
      "Acme pays late 不",
      2,
    ],
  ])("%s", async (...[, cosine, text, count]) => {
    const vectors: Record<string, readonly number[]> = {
      "Acme pays late": [1, 0],
      [text]: [cosine, Math.sqrt(1 - cosine ** 2)],
    };
    const embed = async (texts: readonly string[]) =>
      texts.map((each) => Float32Array.from(vectors[each] ?? [0, 1]));
    const { memory, all } = memoryWorld(
      {},
      { embedder: { id: "two", model: "two", maxBatch: 9, batches: [], embed } },
    );
    await memory.rememberMany(["Acme pays late", text], COMPLETE);
    await memory.drainWrites();
    expect(await all()).toHaveLength(count);
  });

  it("SP1: merges the new text into the old record on the model's plan", async () => {
    const world = memoryWorld({
      consolidation: (text) => planOf(false, { action: "update", id: idIn(text), content: "both" }),
    });
    const old = await world.put({
      content: "base",
      categories: ["c"],
      importance: 0.3,
      metadata: { k: 1 },
    });
    await world.clock.advance(5000);
    const record = await world.memory.remember("new cos=0.9", COMPLETE);
    expect(record).toEqual({ ...old, content: "both", lastAccessed: expect.any(String) });
    expect(Date.parse(record?.lastAccessed ?? "")).toBe(world.clock.now());
    expect(await world.all()).toEqual([record]);
    const [match] = await world.memory.recall("both", { depth: "shallow" });
    expect(match?.record.id).toBe(old.id);
  });

  it("SP1: deletes the old and stores the new", async () => {
    const world = memoryWorld({
      consolidation: (text) => planOf(true, { action: "delete", id: idIn(text) }),
    });
    await world.put({ content: "base" });
    await world.memory.remember("new cos=0.9", COMPLETE);
    expect(contents(await world.all())).toEqual(["new cos=0.9"]);
    expect(await world.storage.records.pendingIndexing({}, 10)).toEqual({ missing: [], stale: [] });
    const matches = await world.memory.recall("base", { depth: "shallow" });
    expect(matches.map(({ record }) => record.content)).toEqual(["new cos=0.9"]);
  });

  it("SP1: writes no record when the old one has the same content, and returns it", async () => {
    const world = memoryWorld({
      consolidation: (text) => planOf(false, { action: "keep", id: idIn(text) }),
    });
    const old = await world.put({ content: "base" });
    expect(await world.memory.remember("new cos=0.9", COMPLETE)).toEqual(old);
    expect(await world.all()).toEqual([old]);
  });

  it("SP1: ignores an update without a text", async () => {
    const world = memoryWorld({
      consolidation: (text) => planOf(true, { action: "update", id: idIn(text) }),
    });
    await world.put({ content: "base" });
    await world.memory.remember("new cos=0.9", COMPLETE);
    expect(contents(await world.all())).toEqual(["base", "new cos=0.9"]);
  });

  it("MA1: a failing model leads to defaults", async () => {
    const { memory } = memoryWorld({ analysis: new Error("down") }, { rootScope: "/crew/x" });
    expect(await memory.remember("base")).toMatchObject({
      scope: "/crew/x",
      importance: 0.5,
      categories: [],
    });
  });

  it("MA1: stores the new text when the failed model was to decide on similar ones", async () => {
    const world = memoryWorld({ consolidation: new Error("down") });
    await world.put({ content: "base" });
    await world.memory.remember("new cos=0.9", COMPLETE);
    expect(contents(await world.all())).toEqual(["base", "new cos=0.9"]);
  });

  it("SV6: a failing search finds no similar record", async () => {
    const world = memoryWorld();
    await world.put({ content: "base" });
    const broken = brokenIndex(world);
    await broken.memory.remember("new cos=0.9", COMPLETE);
    expect(contents(await world.all())).toEqual(["base", "new cos=0.9"]);
  });

  it("refuses a blank text", async () => {
    const { memory } = memoryWorld();
    await expect(memory.remember("  \n")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(memory.rememberMany(["a", " "])).rejects.toThrow("contents[1] must be a text");
  });

  it("a read-only memory writes no record", async () => {
    const { memory, all, embedder } = memoryWorld({}, { readOnly: true });
    expect(await memory.remember("base")).toBeNull();
    expect(await memory.rememberMany(["base"])).toEqual([]);
    await memory.drainWrites();
    expect(await all()).toEqual([]);
    expect(embedder.batches).toEqual([]);
  });

  it("MB1: stores below the root", async () => {
    const { memory } = memoryWorld({}, { rootScope: "/crew/x" });
    const record = await memory.remember("base", { ...COMPLETE, scope: "/facts" });
    expect(record?.scope).toBe("/crew/x/facts");
  });

  it("SV3: a private record stays private and keeps its source when it changes", async () => {
    const world = memoryWorld({
      consolidation: (text) => planOf(false, { action: "update", id: idIn(text), content: "both" }),
    });
    const secret = { source: "u1", private: true };
    await world.put({ content: "base", ...secret });
    const record = await world.memory.remember("new cos=0.9", { ...COMPLETE, ...secret });
    expect(record).toMatchObject({ content: "both", ...secret });
  });

  it.each([
    [{ source: "u1", private: true }, {}],
    [{ source: "u1" }, {}],
    [{ source: "u1" }, { source: "u2" }],
    [{}, { source: "u1" }],
    [{ source: "u1", private: true }, { source: "u1" }],
    [{ private: true }, {}],
  ])("SV3: never merges a record of %j with a text of %j", async (old, fresh) => {
    const world = memoryWorld({ consolidation: planOf(false) });
    await world.put({ content: "base", ...old });
    await world.memory.remember("base", { ...COMPLETE, ...fresh });
    expect(world.model.calls).toHaveLength(0);
    expect(await world.all()).toHaveLength(2);
  });

  it("NR2: sees stored records missing from the index, and has them indexed", async () => {
    const world = memoryWorld({ consolidation: planOf(false, { action: "keep", id: "r1" }) });
    const at = new Date(world.clock.now()).toISOString();
    const given = { scope: "/", categories: [], metadata: {}, importance: 0.5, private: false };
    const record = { id: "r1", content: "base", ...given, createdAt: at, lastAccessed: at };
    await world.storage.records.apply({ op: "elsewhere", atMs: 0, inserts: [record] });
    expect(await world.memory.remember("new cos=0.9", COMPLETE)).toEqual(record);
    expect((await world.storage.records.pendingIndexing({}, 10)).missing).toEqual([]);
  });

  it("SV3: looks for similar records only within its scope", async () => {
    const world = memoryWorld({ consolidation: planOf(true) });
    await world.put({ content: "base", scope: "/a" });
    await world.memory.remember("new cos=0.9", { ...COMPLETE, scope: "/b" });
    expect(world.model.calls).toHaveLength(0);
    await world.memory.remember("newer cos=0.9", { ...COMPLETE, scope: "/a" });
    expect(world.model.kinds()).toEqual(["consolidation"]);
  });

  it("MA2: changes no record the model was not shown", async () => {
    const world = memoryWorld({
      consolidation: () =>
        planOf(
          true,
          { action: "delete", id: other },
          { action: "update", id: other, content: "x" },
        ),
    });
    await world.put({ content: "base", scope: "/a" });
    const other = (await world.put({ content: "elsewhere axis=9", scope: "/b" })).id;
    await world.memory.remember("new cos=0.9", { ...COMPLETE, scope: "/a" });
    expect(contents(await world.all())).toEqual(["base", "elsewhere axis=9", "new cos=0.9"]);
  });

  it("proposes paths without the root, and stores the model's path below it once", async () => {
    const world = memoryWorld({ analysis: analysisOf("/notes") }, { rootScope: "/crew/x" });
    await world.put({ content: "old axis=5", scope: "/crew/x/notes", categories: ["c1"] });
    await world.put({ content: "other axis=6", scope: "/crew/y/hidden", categories: ["c2"] });
    const record = await world.memory.remember("base");
    expect(record?.scope).toBe("/crew/x/notes");
    const told = world.model.calls[0]?.request.messages.at(-1)?.content ?? "";
    expect(told).toContain("Existing paths: /notes\nExisting categories: c1\n");
    expect(told).not.toContain("hidden");
  });

  it("MP3: and once, too, when the model repeats the root", async () => {
    const { memory } = memoryWorld(
      { analysis: analysisOf("/crew/x/team") },
      { rootScope: "/crew/x" },
    );
    expect((await memory.remember("base"))?.scope).toBe("/crew/x/team");
  });

  it.each(["../../crew/y", "/..", "/a/../../b", `/${"deep/".repeat(40)}`, "\u0000", "//"])(
    "MB1: a model proposing %j stores within the root",
    async (proposal) => {
      const { memory } = memoryWorld({ analysis: analysisOf(proposal) }, { rootScope: "/crew/x" });
      expect((await memory.remember("base"))?.scope).toMatch(/^\/crew\/x(\/[^.]+)?$/);
    },
  );

  it("adds the model's extracts to the caller's metadata", async () => {
    const { memory } = memoryWorld({ analysis: analysisOf("/", 0.5, { entities: ["Ann"] }) });
    const record = await memory.remember("base", { metadata: { a: 1, entities: ["B"] } });
    expect(record?.metadata).toEqual({ a: 1, entities: ["Ann"] });
  });

  it("limits the model's values to their range", async () => {
    const { memory } = memoryWorld({ analysis: analysisOf("/", 7) });
    expect((await memory.remember("base"))?.importance).toBe(1);
  });

  it("a root of one call lies within the memory's own", async () => {
    const { memory } = memoryWorld({}, { rootScope: "/crew/x" });
    const options = { ...COMPLETE, rootScope: "/crew/x/agent/ann" };
    expect((await memory.remember("base", options))?.scope).toBe("/crew/x/agent/ann");
    await expect(
      memory.remember("base", { ...COMPLETE, rootScope: "/crew/x2" }),
    ).rejects.toMatchObject({ code: "invalid_input" });
  });
});

describe("when the embedder fails", () => {
  it("EM2: for one text of a batch, the others have their vectors and the text is found by its words", async () => {
    const { memory, all, storage } = memoryWorld();
    await memory.rememberMany(["one axis=1", "FAIL two", "three axis=3"], COMPLETE);
    await memory.drainWrites();
    expect(contents(await all())).toEqual(["FAIL two", "one axis=1", "three axis=3"]);
    const { missing } = await storage.records.pendingIndexing({}, 10);
    expect(missing.map(({ record }) => record.content)).toEqual(["FAIL two"]);
    const matches = await memory.recall("two", { depth: "shallow", limit: 1 });
    expect(matches[0]?.record.content).toBe("FAIL two");
  });

  it("SV6: altogether, everything is stored, and indexed by a later save", async () => {
    const state = { isDown: true };
    const said = saidEmbedder();
    const embedder = {
      ...said,
      embed: (...call: Parameters<typeof said.embed>) =>
        state.isDown ? Promise.reject(new EngineError("unavailable", "down")) : said.embed(...call),
    };
    const { memory, all, storage } = memoryWorld({}, { embedder });
    await memory.remember("one axis=1", COMPLETE);
    expect(await all()).toHaveLength(1);
    state.isDown = false;
    await memory.remember("two axis=2", COMPLETE);
    expect((await storage.records.pendingIndexing({}, 10)).missing).toEqual([]);
  });
});

describe("bad input", () => {
  it.each([
    [{ scope: 7 }, "scope must be a path"],
    [{ scope: "../x" }, "scope must be a path"],
    [{ categories: "a" }, "categories must be a list"],
    [{ categories: [""] }, "categories must be a list"],
    [{ metadata: [1] }, "metadata must be an object"],
    [{ metadata: { f: () => 1 } }, "metadata.f: a function cannot be stored"],
    [{ metadata: { a: "x".repeat(20_000) } }, "metadata must have at most 20000"],
    [{ importance: 2 }, "importance must be a number from 0 to 1, got 2"],
    [{ importance: Number.NaN }, "importance must be a number"],
    [{ source: "" }, "source must be a text"],
    [{ private: "yes" }, 'private must be true or false, got "yes"'],
  ])("refuses %j", async (options, message) => {
    const { memory, embedder } = memoryWorld();
    await expect(memory.remember("base", options as never)).rejects.toThrow(message);
    await expect(memory.rememberMany(["base"], options as never)).rejects.toThrow(message);
    expect(embedder.batches).toEqual([]);
  });

  it("bounds texts, one by one and together", async () => {
    const { memory } = memoryWorld();
    await expect(memory.remember("x".repeat(100_001))).rejects.toMatchObject({
      code: "limit_exceeded",
    });
    const many = Array.from({ length: 1001 }, (_, index) => `${index}`);
    await expect(memory.rememberMany(many)).rejects.toThrow("at most 1000 texts, got 1001");
    const big = Array.from({ length: 41 }, () => "x".repeat(99_999));
    await expect(memory.rememberMany(big)).rejects.toThrow("at most 4000000 characters together");
    expect(await memory.rememberMany([])).toEqual([]);
  });

  it("stores texts of any letters", async () => {
    const { memory, all } = memoryWorld();
    await memory.remember("\ud83d\ude00 ‮ \u0000 a\ud800", COMPLETE);
    expect((await all())[0]?.content.isWellFormed()).toBe(true);
  });
});

describe("saving a thousand", () => {
  const thousand = Array.from({ length: 1000 }, (_, index) => `fact axis=${index}`);

  it("asks no model for complete fields, and embeds in the embedder's largest batches", async () => {
    const { memory, model, embedder, all } = memoryWorld();
    await memory.rememberMany(thousand, COMPLETE);
    await memory.drainWrites();
    expect(await all()).toHaveLength(1000);
    expect(model.calls).toHaveLength(0);
    expect(embedder.batches.map((batch) => batch.length)).toEqual([1000]);
  });

  it("keeps the embedder's own limit, and asks a model once for each bare text", async () => {
    const said = saidEmbedder({ maxBatch: 64 });
    const world = memoryWorld({ analysis: analysisOf("/x") }, { embedder: said });
    await world.memory.rememberMany(thousand);
    await world.memory.drainWrites();
    expect(world.model.calls).toHaveLength(1000);
    expect(said.batches).toHaveLength(16);
    expect(Math.max(...said.batches.map((batch) => batch.length))).toBe(64);
  });
});

/** The first record that a model was shown. */
function idIn(text: string): string {
  return /id: (\S+)/.exec(text)?.[1] ?? "";
}

function brokenIndex(world: ReturnType<typeof memoryWorld>): ReturnType<typeof memoryWorld> {
  const { storage } = world;
  const vectors = {
    open: (collection: Parameters<typeof storage.vectors.open>[0]) => {
      const store = storage.vectors.open(collection);
      return Object.assign(Object.create(store) as typeof store, {
        upsert: store.upsert.bind(store),
        delete: store.delete.bind(store),
        query: () => Promise.reject(new Error("no index today")),
      });
    },
  };
  return memoryWorld({}, { storage: { ...storage, vectors }, embedder: world.embedder });
}
