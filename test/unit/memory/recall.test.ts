import { describe, expect, it } from "vitest";
import { joinScopePaths } from "../../../src/memory/memory-path.ts";
import { hashEmbedder } from "../../../src/vectors/hash-embedder.ts";
import { COMPLETE, memoryWorld, saidEmbedder, type Answers } from "../../support/memory-harness.ts";

const query = (of: Partial<Record<string, unknown>> = {}) => ({
  keywords: [],
  suggested_scopes: [],
  complexity: "simple",
  recall_queries: ["base"],
  time_filter: null,
  ...of,
});

/** A question of so many characters that has the direction of `base`. */
const long = (length: number): string => "q".repeat(length);

/** Similarity alone counts, so that scores are cosines. */
const PURE = { semanticWeight: 1, recencyWeight: 0, importanceWeight: 0 };

const found = (matches: readonly { record: { content: string } }[]): string[] =>
  matches.map(({ record }) => record.content);

describe("recalling", () => {
  it("RC2: asks no model about a question of 199 characters", async () => {
    const { memory, model } = memoryWorld({ query: query() }, { explorationBudget: 0 });
    await memory.recall(long(199));
    expect(model.calls).toHaveLength(0);
  });

  it("RC2: analyses a question of 200 characters, and searches for the model's queries", async () => {
    const { memory, model, put } = memoryWorld({ query: query() }, { explorationBudget: 0 });
    await put({ content: "base" });
    const matches = await memory.recall(long(200));
    expect(model.kinds()).toEqual(["query"]);
    expect(matches[0]?.matchReasons).toContain("semantic");
    expect(matches[0]?.score).toBeCloseTo(0.5 + 0.3 + 0.1, 3);
  });

  it.each<[string, { complex: boolean; cosine: number; budget: number; explores: number }]>([
    ["RC5: simple at 0.8", { complex: false, cosine: 0.8, budget: 1, explores: 0 }],
    ["RC5: simple at 0.6", { complex: false, cosine: 0.6, budget: 1, explores: 0 }],
    ["RC5: simple at 0.49", { complex: false, cosine: 0.49, budget: 1, explores: 1 }],
    ["RC5: complex at 0.69", { complex: true, cosine: 0.69, budget: 1, explores: 1 }],
    [
      "RC5: complex at 0.69 without a budget",
      { complex: true, cosine: 0.69, budget: 0, explores: 0 },
    ],
    ["RC5: complex at 0.75", { complex: true, cosine: 0.75, budget: 1, explores: 0 }],
  ])("%s", async (_, { complex, cosine, budget, explores }) => {
    const answers: Answers = {
      query: query({ complexity: complex ? "complex" : "simple" }),
      exploration: "Nothing is missing.",
    };
    const { memory, model, put } = memoryWorld(answers, { ...PURE, explorationBudget: budget });
    await put({ content: `it cos=${cosine}` });
    const matches = await memory.recall(long(200));
    expect(matches[0]?.score).toBeCloseTo(cosine, 4);
    expect(model.kinds().filter((kind) => kind === "exploration")).toHaveLength(explores);
  });

  it("RC1: private records are visible to their source, and with includePrivate", async () => {
    const { memory, put } = memoryWorld();
    await put({ content: "base", source: "a", private: true });
    await put({ content: "orphan cos=0.9", private: true });
    const recall = async (options: object) =>
      found(await memory.recall("base", { depth: "shallow", ...options }));
    expect(await recall({ source: "b" })).toEqual([]);
    expect(await recall({ source: "a" })).toEqual(["base"]);
    expect(await recall({ includePrivate: true })).toEqual(["base", "orphan cos=0.9"]);
    expect(await recall({})).toEqual([]);
  });

  it("RC2: leaves out records from before the question's period", async () => {
    const { memory, put, clock } = memoryWorld({ query: query({ time_filter: "2026-02-01" }) });
    await clock.advance(Date.parse("2026-01-31T12:00:00Z") - clock.now());
    await put({ content: "old cos=0.99" });
    await clock.advance(86_400_000);
    await put({ content: "new cos=0.9" });
    expect(found(await memory.recall(long(200)))).toEqual(["new cos=0.9"]);
  });

  it("RC5: reports the model's gaps with the first match, and searches for them", async () => {
    const { memory, model, embedder, put } = memoryWorld(
      { exploration: `${"What is there answers half of it. ".repeat(20)}\n\nMissing: axis=9` },
      PURE,
    );
    await put({ content: "near cos=0.3" });
    await put({ content: "wanted axis=9" });
    const matches = await memory.recall("base");
    expect(model.kinds()).toEqual(["exploration"]);
    expect(matches[0]?.evidenceGaps).toEqual(["axis=9"]);
    expect(matches.slice(1).every(({ evidenceGaps }) => evidenceGaps.length === 0)).toBe(true);
    expect(embedder.batches.at(-1)).toEqual(["base", "axis=9"]);
    expect(found(matches)[0]).toBe("wanted axis=9");
  });

  it("EG2: does not search twice without a gap", async () => {
    const exploration = "The memories say that it is near.\n\n**Missing:** nothing is missing.";
    const { memory, embedder, put } = memoryWorld({ exploration }, PURE);
    await put({ content: "near cos=0.3" });
    const [match] = await memory.recall("base");
    expect(match?.evidenceGaps).toEqual([]);
    expect(embedder.batches.filter((batch) => batch.includes("base"))).toHaveLength(1);
  });

  it("returns a record once when two queries find it", async () => {
    const { memory, put } = memoryWorld({
      query: query({ suggested_scopes: ["/a", "/a/b"], recall_queries: ["base", "it cos=0.9"] }),
    });
    await put({ content: "base", scope: "/a/b" });
    expect(found(await memory.recall(long(200)))).toEqual(["base"]);
  });

  it("RC1: fills the limit from the visible records", async () => {
    const { memory, put } = memoryWorld();
    for (const cosine of ["0.99", "0.98", "0.97", "0.96"])
      await put({ content: `private cos=${cosine}`, source: "x", private: true });
    for (const cosine of ["0.5", "0.4", "0.3"]) await put({ content: `open cos=${cosine}` });
    const matches = await memory.recall("base", { depth: "shallow", limit: 3 });
    expect(found(matches)).toEqual(["open cos=0.5", "open cos=0.4", "open cos=0.3"]);
  });

  it("RC3: finds records at the parent itself when there are paths below it", async () => {
    const { memory, put } = memoryWorld();
    await put({ content: "base", scope: "/a" });
    await put({ content: "child cos=0.5", scope: "/a/b" });
    expect(found(await memory.recall("base", { scope: "/a" }))).toEqual(["base", "child cos=0.5"]);
  });

  it("after a failed analysis, searches the whole scope for the question itself", async () => {
    const { memory, put } = memoryWorld({ query: new Error("down") });
    await put({ content: "base", scope: "/a/b/c" });
    expect(await memory.recall(long(250))).toHaveLength(1);
  });

  it("weighs age and importance against similarity", async () => {
    const { memory, put, clock } = memoryWorld();
    await put({ content: "old cos=0.9" });
    await clock.advance(365 * 86_400_000);
    await put({ content: "new cos=0.8", importance: 0.9 });
    const matches = await memory.recall("base");
    expect(found(matches)).toEqual(["new cos=0.8", "old cos=0.9"]);
    expect(matches[0]?.matchReasons).toEqual(["semantic", "recency", "importance"]);
    expect(matches[1]?.matchReasons).toEqual(["semantic"]);
  });

  it("filters by category, however many nearer ones have another", async () => {
    const { memory, put } = memoryWorld();
    for (let index = 0; index < 30; index++)
      await put({ content: `near ${index} cos=0.9${index}`, categories: ["x"] });
    await put({ content: "far cos=0.1", categories: ["y", "z"] });
    expect(found(await memory.recall("base", { categories: ["z", "q"], limit: 2 }))).toEqual([
      "far cos=0.1",
    ]);
    expect(await memory.recall("base", { categories: [], limit: 2 })).toHaveLength(2);
  });

  it("notes when a record was recalled", async () => {
    const { memory, put, all, clock } = memoryWorld();
    await put({ content: "base" });
    await put({ content: "other axis=4", scope: "/elsewhere" });
    await clock.advance(60_000);
    await memory.recall("base", { depth: "shallow", limit: 1 });
    const times = new Map(
      (await all()).map(({ content, lastAccessed }) => [content, lastAccessed]),
    );
    expect(Date.parse(times.get("base") ?? "")).toBe(clock.now());
    expect(Date.parse(times.get("other axis=4") ?? "")).toBe(clock.now() - 60_000);
  });

  it("UM3: sees memories being saved", async () => {
    const { memory } = memoryWorld();
    await memory.rememberMany(["base"], COMPLETE);
    expect(found(await memory.recall("base", { depth: "shallow" }))).toEqual(["base"]);
  });

  it("has a reranker say the last word, and does without it when it fails", async () => {
    const state = { fails: false };
    const { memory, put } = memoryWorld(
      {},
      {
        reranker: (_, matches) => {
          if (state.fails) throw new Error("no");
          return matches.toReversed().slice(0, 2);
        },
      },
    );
    for (const cosine of ["0.9", "0.8", "0.7"]) await put({ content: `it cos=${cosine}` });
    expect(found(await memory.recall("base"))).toEqual(["it cos=0.7", "it cos=0.8"]);
    state.fails = true;
    expect(await memory.recall("base")).toHaveLength(3);
  });
});

describe("MS2: minScore", () => {
  async function world(options: Parameters<typeof memoryWorld>[1] = {}) {
    const made = memoryWorld({}, options);
    for (const cosine of ["0.9", "0.5", "0.2"]) await made.put({ content: `it cos=${cosine}` });
    return made;
  }

  it.each(["shallow", "deep"] as const)(
    "leaves out less similar records, however new (%s)",
    async (depth) => {
      const { memory } = await world();
      expect(found(await memory.recall("base", { depth, minScore: 0.5 }))).toEqual([
        "it cos=0.9",
        "it cos=0.5",
      ]);
      expect(await memory.recall("base", { depth, minScore: 0.95 })).toEqual([]);
      expect(await memory.recall("base", { depth })).toHaveLength(3);
      const [match] = await memory.recall("base", { depth });
      expect(match?.similarity).toBeCloseTo(0.9, 4);
    },
  );

  it("defaults to the memory's, then to the embedder's", async () => {
    const { memory } = await world({ minScore: 0.4 });
    expect(await memory.recall("base")).toHaveLength(2);
    expect(await memory.recall("base", { minScore: 0 })).toHaveLength(3);
    const scaled = await world({ embedder: saidEmbedder({ similarity: { unrelated: 0.6 } }) });
    expect(found(await scaled.memory.recall("base"))).toEqual(["it cos=0.9"]);
    expect(await scaled.memory.scope("/").recall("base", { minScore: 0.1 })).toHaveLength(3);
    const slice = scaled.memory.slice({ scopes: ["/"] });
    expect(await slice.recall("base", { minScore: 0.1 })).toHaveLength(3);
  });

  it("offline, is silent on unknown topics, and finds records by shared words", async () => {
    const { memory } = memoryWorld(
      {},
      { embedder: { ...hashEmbedder(), batches: [] }, batchDedupThreshold: 1 },
    );
    await memory.remember("Acme pays by invoice, within 30 days.", COMPLETE);
    await memory.remember("The coffee machine is repaired by the firm Brygg.", COMPLETE);
    for (const hybrid of [false, true]) {
      expect(found(await memory.recall("How does Acme pay?", { hybrid }))).toEqual([
        "Acme pays by invoice, within 30 days.",
      ]);
      expect(await memory.recall("What is the capital of Mongolia?", { hybrid })).toEqual([]);
    }
  });

  it.each([-0.1, 1.1, Number.NaN, "0.5"])("refuses %j", async (minScore) => {
    const { memory } = memoryWorld();
    await expect(memory.recall("x", { minScore: minScore as number })).rejects.toThrow(
      "minScore must be a number from 0 to 1",
    );
  });
});

describe("RC1, MB1: boundaries", () => {
  async function world(answers: Answers = {}) {
    const made = memoryWorld(answers, { rootScope: "/crew/x" });
    await made.put({ content: "inside cos=0.2", scope: "/crew/x/facts" });
    await made.put({ content: "outside cos=0.99", scope: "/crew/x2" });
    await made.put({ content: "above cos=0.98", scope: "/crew" });
    await made.put({ content: "beside cos=0.97", scope: "/crew/y/facts" });
    return made;
  }

  it.each([
    "/crew/y",
    "/crew",
    "/",
    "//",
    "..",
    "/../y",
    "/crew/x/../y",
    "/crew/x2",
    "／crew／y",
    "%2Fcrew",
  ])("a model proposing %j stays within the root", async (proposal) => {
    const { memory } = await world({ query: query({ suggested_scopes: [proposal] }) });
    expect(found(await memory.recall(long(200)))).toEqual(["inside cos=0.2"]);
  });

  it("nor does a path of the caller's", async () => {
    const { memory } = await world();
    expect(found(await memory.recall("base", { scope: "/crew/y" }))).toEqual([]);
    expect(found(await memory.recall("base", { scope: "//facts/" }))).toEqual(["inside cos=0.2"]);
    await expect(memory.recall("base", { scope: "../y" })).rejects.toMatchObject({
      code: "invalid_input",
    });
    for (const method of ["info", "tree", "listScopes", "listCategories", "reset"] as const)
      await expect(memory[method]("/../y")).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("full text and hybrid search keep them as vectors do", async () => {
    const { memory, put } = await world();
    await put({ content: "cos secret words", scope: "/crew/x", source: "a", private: true });
    const matches = await memory.recall("cos secret words outside", { hybrid: true });
    expect(found(matches)).toEqual(["inside cos=0.2"]);
  });

  it("reads, changes and forgets no record beyond the root", async () => {
    const { memory, all } = await world();
    const others = (await all()).filter(({ scope }) => !scope.startsWith("/crew/x/"));
    expect(others).toHaveLength(3);
    for (const { id } of others) {
      expect(await memory.get(id)).toBeUndefined();
      await expect(memory.update(id, { content: "mine" })).rejects.toMatchObject({
        code: "not_found",
      });
    }
    expect(await memory.forget({ recordIds: others.map(({ id }) => id) })).toBe(0);
    expect((await memory.listRecords()).items).toHaveLength(1);
    expect((await memory.info()).recordCount).toBe(1);
    await memory.reset();
    expect(await all()).toEqual(others);
  });

  it("a slice recalls from its paths alone, and writes when it may", async () => {
    const made = memoryWorld();
    for (const scope of ["/a", "/a/deep", "/ab", "/b", "/c"])
      await made.put({ content: `at ${scope} cos=0.9`, scope });
    const slice = made.memory.slice({ scopes: ["/a/", "/b"] });
    const contents = found(await slice.recall("base", { limit: 10 })).toSorted();
    expect(contents).toEqual(["at /a cos=0.9", "at /a/deep cos=0.9", "at /b cos=0.9"]);
    await expect(slice.recall("base", { scope: "/c" })).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect(await slice.remember("x axis=1", COMPLETE)).toBeNull();
    expect(await slice.info()).toMatchObject({
      path: "/",
      recordCount: 3,
      childScopes: ["/a", "/b"],
    });
    expect(await slice.listScopes()).toEqual(["/a/deep"]);
    const nested = made.memory.slice({ scopes: ["/a", "/a/deep"] });
    expect((await nested.info()).recordCount).toBe(2);
    await made.put({ content: "filed cos=0.9", scope: "/b", categories: ["tides"] });
    expect(await slice.listCategories()).toEqual({ tides: 1 });
    const open = made.memory.slice({ scopes: ["/a", "/b"], readOnly: false });
    const given = { categories: [], importance: 0.5 };
    expect((await open.remember("x axis=1", given))?.scope).toBe("/a");
    expect((await open.remember("y axis=2", { ...given, scope: "/b/c" }))?.scope).toBe("/b/c");
    await expect(open.remember("z axis=3", { ...given, scope: "/c" })).rejects.toThrow(
      "scope must lie within",
    );
    await open.remember("r axis=7", { ...given, rootScope: "/c" });
    expect((await made.all()).filter(({ scope }) => scope.startsWith("/c"))).toHaveLength(1);
  });

  it("a slice finds a record in two of its paths once, best first", async () => {
    const made = memoryWorld();
    await made.put({ content: "one cos=0.5", scope: "/a/b" });
    await made.put({ content: "two cos=0.9", scope: "/c" });
    const slice = made.memory.slice({ scopes: ["/a", "/a/b", "/c"] });
    expect(found(await slice.recall("base", { limit: 2 }))).toEqual(["two cos=0.9", "one cos=0.5"]);
  });

  it("a scope is a memory of its own: paths are relative, and a model is not asked for one", async () => {
    const made = memoryWorld({}, { rootScope: "/crew/x" });
    const scope = made.memory.scope("/agent/ann");
    const record = await scope.remember("base", { categories: [], importance: 0.5 });
    expect(record?.scope).toBe("/crew/x/agent/ann");
    await scope.rememberMany(["other axis=3"], { ...COMPLETE, scope: "notes" });
    await scope.drainWrites();
    expect(made.model.calls).toHaveLength(0);
    expect(await scope.listScopes()).toEqual(["/crew/x/agent/ann/notes"]);
    expect(await scope.forget({ scope: "/notes" })).toBe(1);
    expect(found(await scope.recall("base"))).toEqual(["base"]);
    await made.put({ content: "beside cos=0.9", scope: "/crew/x" });
    expect(found(await scope.recall("base"))).toEqual(["base"]);
    await scope.reset();
    expect(found(await made.memory.recall("base"))).toEqual(["beside cos=0.9"]);
  });
});

describe("managing", () => {
  it("MB1: moves a record within the root, and finds it there", async () => {
    const made = memoryWorld({}, { rootScope: "/crew/x" });
    const record = await made.memory.remember("base", COMPLETE);
    const id = record?.id ?? "";
    const moved = await made.memory.update(id, {
      scope: "/new",
      importance: 0.9,
      metadata: { a: 1 },
    });
    expect(moved).toMatchObject({ id, content: "base", scope: "/crew/x/new", importance: 0.9 });
    expect(found(await made.memory.recall("base", { scope: "/new" }))).toEqual(["base"]);
    await expect(made.memory.update("no", {})).rejects.toMatchObject({ code: "not_found" });
  });

  it("embeds a record again when its text changes, and keeps the rest", async () => {
    const made = memoryWorld();
    const old = await made.put({ content: "base", source: "u", private: true, categories: ["c"] });
    const changed = await made.memory.update(old.id, { content: "changed axis=8" });
    expect(changed).toEqual({
      ...old,
      content: "changed axis=8",
      lastAccessed: expect.any(String),
    });
    const [match] = await made.memory.recall("axis=8", { source: "u", depth: "shallow" });
    expect(match?.record.content).toBe("changed axis=8");
    expect(match?.score).toBeGreaterThan(0.8);
  });

  it("forgets only matches of every part of the filter, and refuses an empty one", async () => {
    const made = memoryWorld();
    await made.put({ content: "a axis=1", scope: "/a", categories: ["x"], metadata: { k: 1 } });
    const keep = await made.put({ content: "b axis=2", scope: "/a", categories: ["y"] });
    await made.put({ content: "c axis=3", scope: "/ab", categories: ["x"] });
    await made.put({ content: "d axis=4", scope: "/", categories: ["x"] });
    await expect(made.memory.forget({})).rejects.toThrow("forget needs a filter");
    expect(await made.memory.forget({ scope: "/a", categories: ["z"] })).toBe(0);
    expect(await made.memory.forget({ recordIds: [keep.id], categories: ["x"] })).toBe(0);
    expect(await made.memory.forget({ recordIds: [] })).toBe(0);
    expect(await made.memory.forget({ scope: "/a", metadata: { k: 2 } })).toBe(0);
    expect(await made.memory.forget({ scope: "/a", olderThan: new Date(0) })).toBe(0);
    expect(await made.memory.forget({ scope: "/a", categories: ["x"], metadata: { k: 1 } })).toBe(
      1,
    );
    expect((await made.all()).map(({ scope }) => scope).toSorted()).toEqual(["/", "/a", "/ab"]);
    expect(await made.memory.forget({ olderThan: new Date(made.clock.now() + 1) })).toBe(3);
    expect(await made.memory.recall("axis=2", { depth: "shallow" })).toEqual([]);
  });

  it("reports counts at a path and below it", async () => {
    const made = memoryWorld({}, { rootScope: "/r" });
    for (const [content, scope, categories] of [
      ["a axis=1", "/a", ["x"]],
      ["b axis=2", "/a/b", ["x", "y"]],
      ["c axis=3", "/c", []],
    ] as const)
      await made.put({ content, scope: joinScopePaths("/r", scope), categories });
    expect(await made.memory.info()).toMatchObject({
      path: "/r",
      recordCount: 3,
      categories: ["x", "y"],
      childScopes: ["/r/a", "/r/c"],
    });
    expect(await made.memory.listScopes("/a")).toEqual(["/r/a/b"]);
    expect(await made.memory.listCategories("/a")).toEqual({ x: 2, y: 1 });
    expect(await made.memory.tree()).toBe(
      "/r (3 records)\n  /r/a (2 records)\n    /r/a/b (1 records)\n  /r/c (1 records)",
    );
    expect(await made.memory.tree(undefined, 1)).toBe(
      "/r (3 records)\n  /r/a (2 records)\n  /r/c (1 records)",
    );
    expect(await made.memory.info("/none")).toEqual({
      path: "/r/none",
      recordCount: 0,
      categories: [],
      childScopes: [],
    });
  });

  it("MR5: lists newest first, page by page", async () => {
    const made = memoryWorld();
    for (let index = 0; index < 7; index++) {
      await made.put({ content: `n axis=${index}` });
      await made.clock.advance(1000);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await made.memory.listRecords({ limit: 2, cursor });
      seen.push(...page.items.map(({ content }) => content));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(7);
    expect(new Set(seen).size).toBe(7);
    expect(seen[0]).toBe("n axis=6");
    expect(seen.at(-1)).toBe("n axis=0");
    await expect(made.memory.listRecords({ cursor: "x" })).rejects.toThrow("cursor must be");
  });

  it("resetAll forgets beyond the root, and which model made the vectors", async () => {
    const made = memoryWorld({}, { rootScope: "/a" });
    await made.put({ content: "base", scope: "/b" });
    await made.memory.resetAll();
    expect(await made.all()).toEqual([]);
    const collection = { tenant: "local", collection: "memory", model: "x" };
    expect(await made.storage.vectors.open(collection).info()).toBeUndefined();
  });

  it("a read-only memory refuses changes", async () => {
    const made = memoryWorld({}, { readOnly: true });
    const calls = [
      made.memory.update("x", {}),
      made.memory.forget({ scope: "/" }),
      made.memory.reset(),
      made.memory.resetAll(),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("extracting", () => {
  it("answers single statements, each once", async () => {
    const { memory, model } = memoryWorld({
      extraction: { memories: [" Ann likes tea. ", "", "Ann likes tea.", "Bob is 40."] },
    });
    expect(await memory.extractMemories("…")).toEqual(["Ann likes tea.", "Bob is 40."]);
    expect(await memory.extractMemories("  ")).toEqual([]);
    expect(model.calls).toHaveLength(1);
  });

  it.each([
    ["fails", new Error("down")],
    ["answers in prose", "There is a lot to say."],
    ["answers another shape", { list: [] }],
  ])("keeps the whole text when the model %s", async (_, extraction) => {
    const { memory } = memoryWorld({ extraction });
    expect(await memory.extractMemories(" All of this. ")).toEqual(["All of this."]);
  });

  it("an empty list is an answer", async () => {
    const { memory } = memoryWorld({ extraction: { memories: [] } });
    expect(await memory.extractMemories("Hello")).toEqual([]);
  });
});

describe("bad questions", () => {
  it.each([
    [7, {}, "query must be a text, got 7"],
    ["x".repeat(20_001), {}, "query must have at most 20000 characters"],
    ["x", { limit: 0 }, "limit must be an integer from 1 to 50, got 0"],
    ["x", { limit: 51 }, "limit must be an integer from 1 to 50, got 51"],
    ["x", { depth: "full" }, 'depth must be "shallow" or "deep", got "full"'],
    ["x", { categories: "a" }, "categories must be a list"],
  ])("refuses %#", async (question, options, message) => {
    const { memory } = memoryWorld();
    await expect(memory.recall(question as never, options as never)).rejects.toThrow(message);
  });

  it("finds no record for a blank one, without a call", async () => {
    const { memory, embedder } = memoryWorld();
    expect(await memory.recall("  ")).toEqual([]);
    expect(embedder.batches).toEqual([]);
  });
});
