import { describe, expect, it } from "vitest";
import type { CollectionUse } from "../../src/knowledge/collection-use.ts";
import type {
  KnowledgeChunk,
  KnowledgeDocument,
  KnowledgeStore,
} from "../../src/knowledge/knowledge-store.ts";
import { queryTerms } from "../../src/text/index.ts";

const documentNamed = (name: string, more: Partial<KnowledgeDocument> = {}): KnowledgeDocument => ({
  id: `id-${name}`,
  name,
  reader: "text",
  state: "ready",
  hash: "h",
  recipe: "r",
  characters: 10,
  chunks: 1,
  indexed: 1,
  runId: "run",
  createdAtMs: 1,
  updatedAtMs: 2,
  ...more,
});

const chunk = (id: string, text: string, more: Partial<KnowledgeChunk> = {}): KnowledgeChunk => ({
  id,
  document: "id-a",
  ordinal: 0,
  text,
  start: 0,
  end: text.length,
  ...more,
});

/** What every store of knowledge does. `make` gives an empty store of a tenant; two of one `world` share their database. */
export function knowledgeStoreSuite(make: (tenant: string, world: string) => KnowledgeStore): void {
  let worlds = 0;
  const empty = (tenant = "t"): KnowledgeStore => make(tenant, `w${++worlds}`);

  describe("documents", () => {
    it("KS2: are kept by id, replaced, and listed by name", async () => {
      const store = empty();
      for (const name of ["b", "a", "c"]) await store.putDocument("c", documentNamed(name));
      const failed = documentNamed("b", { state: "failed", error: "no" });
      await store.putDocument("c", failed);
      expect(await store.document("c", "id-b")).toEqual(failed);
      expect(await store.document("c", "id-x")).toBeUndefined();
      const first = await store.documents("c", { limit: 2 });
      expect(first.map(({ name }) => name)).toEqual(["a", "b"]);
      expect(await store.documents("c", { limit: 2, after: "b" })).toEqual([documentNamed("c")]);
      expect(await store.documents("c", { limit: 9, state: "indexing" })).toEqual([]);
      const begun = { ...documentNamed("b"), state: "indexing" } as const;
      await store.putDocument("c", begun);
      expect(await store.documents("c", { limit: 9, state: "indexing" })).toEqual([begun]);
      await store.putDocument("c", documentNamed("b"));
      expect(await store.document("c", "id-b")).toEqual(documentNamed("b"));
      const lossy = documentNamed("b", {
        losses: [{ kind: "picture", count: 2, place: { page: 3 }, detail: "2 pictures" }],
      });
      await store.putDocument("c", lossy);
      expect(await store.document("c", "id-b")).toEqual(lossy);
    });

    it("change in some fields, on condition of their recipe", async () => {
      const store = empty();
      await store.putDocument("c", documentNamed("a"));
      const failed = { state: "failed", error: "no", runId: "other", updatedAtMs: 9 } as const;
      expect(await store.updateDocument("c", { id: "id-a" }, failed)).toBe(true);
      expect(await store.document("c", "id-a")).toEqual(documentNamed("a", failed));
      expect(await store.updateDocument("c", { id: "id-a", recipe: "x" }, { recipe: "y" })).toBe(
        false,
      );
      expect(await store.updateDocument("c", { id: "id-a", recipe: "r" }, { recipe: "y" })).toBe(
        true,
      );
      expect(await store.document("c", "id-a")).toEqual(
        documentNamed("a", { ...failed, recipe: "y" }),
      );
      expect(await store.updateDocument("c", { id: "id-b" }, failed)).toBe(false);
      expect(await store.updateDocument("d", { id: "id-a" }, failed)).toBe(false);
    });

    it("are gone with their chunks", async () => {
      const store = empty();
      await store.putDocument("c", documentNamed("a"));
      await store.putDocument("c", documentNamed("b"));
      await store.putChunks("c", [chunk("1", "tea"), chunk("2", "tea", { document: "id-b" })]);
      await store.deleteDocument("c", "id-a");
      expect(await store.chunks("c", ["1", "2"])).toMatchObject([{ id: "2" }]);
      expect((await store.searchText("c", ["tea"], 5)).map(({ id }) => id)).toEqual(["2"]);
      expect(await store.info("c")).toEqual({ name: "c", documents: 1, chunks: 1 });
    });
  });

  describe("chunks", () => {
    it("come in the order that is asked for, with everything that is known of them", async () => {
      const store = empty();
      const full = chunk("2", "zwei 🍵", {
        ordinal: 1,
        row: 4,
        marks: [[5, 40]],
        sheet: "S",
        heading: "A > B",
      });
      await store.putChunks("c", [chunk("1", "eins"), full]);
      expect(await store.chunks("c", ["2", "x", "1"])).toEqual([full, chunk("1", "eins")]);
      expect(await store.chunkIds("c", "id-a")).toEqual(["1", "2"]);
    });

    it("KS2: are replaced, words and all", async () => {
      const store = empty();
      await store.putChunks("c", [chunk("1", "coffee")]);
      await store.putChunks("c", [chunk("1", "tea")]);
      expect(await store.searchText("c", ["coffee"], 5)).toEqual([]);
      expect(await store.searchText("c", ["tea"], 5)).toHaveLength(1);
    });

    it("are deleted by the hundreds", async () => {
      const store = empty();
      const many = Array.from({ length: 600 }, (_, index) =>
        chunk(`n${index}`, "tea", { ordinal: index }),
      );
      await store.putChunks("c", many);
      await store.deleteChunks(
        "c",
        many.slice(1).map(({ id }) => id),
      );
      expect(await store.chunkIds("c", "id-a")).toEqual(["n0"]);
      expect(await store.searchText("c", ["tea"], 5)).toHaveLength(1);
    });
  });

  describe("words", () => {
    it("find the chunks that have most of them, in any form, headings included", async () => {
      const store = empty();
      await store.putChunks("c", [
        chunk("1", "The kettle boils water."),
        chunk("2", "Kettles and cups: kettle number 99-1874-B."),
        chunk("3", "A teapot.", { heading: "Kettle" }),
        chunk("4", "Nothing of the kind."),
      ]);
      const found = await store.searchText("c", queryTerms("kettles 99-1874"), 5);
      expect(found[0]?.id).toBe("2");
      expect(new Set(found.map(({ id }) => id))).toEqual(new Set(["1", "2", "3"]));
      expect(await store.searchText("c", queryTerms("kettle"), 1)).toHaveLength(1);
    });

    it("find a chunk by the text around it, after those with the words themselves", async () => {
      const store = empty();
      const others = Array.from({ length: 12 }, (_, index) => chunk(`o${index}`, `page ${index}`));
      await store.putChunks("c", [
        ...others,
        chunk("1", "It lasts two years.", { around: "The warranty of the kettle" }),
        chunk("2", "The warranty of the kettle", { around: "It lasts two years." }),
        chunk("3", "From the day of purchase.", { heading: "Warranty" }),
      ]);
      const find = async (query: string) =>
        (await store.searchText("c", queryTerms(query), 3)).map(({ id }) => id);
      expect((await find("kettle warranty"))[0]).toBe("2");
      expect(new Set(await find("warranty"))).toEqual(new Set(["1", "2", "3"]));
      expect((await find("lasts"))[0]).toBe("1");
    });

    it("of any kind break nothing", async () => {
      const store = empty();
      await store.putChunks("c", [chunk("1", 'He said "NEAR" OR not')]);
      for (const words of [['"'], ["NEAR("], ["a*b"], ["place:x"], ["and", "or"], [""]])
        expect(Array.isArray(await store.searchText("c", words, 5))).toBe(true);
    });
  });

  describe("uses of collections", () => {
    const use = (id: string, more: Partial<CollectionUse> = {}): CollectionUse => ({
      id,
      collection: id,
      model: "m",
      checkedAtMs: 1,
      usedAtMs: 10,
      isTemporary: true,
      ...more,
    });

    it("are kept and replaced, with or without a version", async () => {
      const { uses } = empty();
      expect(await uses?.get("a")).toBeUndefined();
      await uses?.put(use("a", { version: "1" }));
      expect(await uses?.get("a")).toEqual(use("a", { version: "1" }));
      await uses?.put(use("a", { checkedAtMs: 5, isTemporary: false }));
      expect(await uses?.get("a")).toEqual(use("a", { checkedAtMs: 5, isTemporary: false }));
    });

    it("tell which temporary collections nobody has asked for, the longest unused first", async () => {
      const { uses } = empty();
      await uses?.put(use("new", { usedAtMs: 100 }));
      await uses?.put(use("old", { usedAtMs: 20 }));
      await uses?.put(use("older"));
      await uses?.put(use("kept", { isTemporary: false }));
      const ids = async (limit: number) => (await uses?.unused(100, limit))?.map(({ id }) => id);
      expect(await ids(9)).toEqual(["older", "old"]);
      expect(await ids(1)).toEqual(["older"]);
    });

    it("go with their collection, and are a tenant's own", async () => {
      const world = `uses${++worlds}`;
      const [one, other] = [make("one", world), make("other", world)];
      for (const id of ["c", "c#1"]) await one.uses?.put(use(id, { collection: "c" }));
      await one.uses?.put(use("d"));
      await other.uses?.put(use("c"));
      await one.deleteCollection("c");
      expect(await one.uses?.get("c")).toBeUndefined();
      expect(await one.uses?.get("c#1")).toBeUndefined();
      expect(await one.uses?.get("d")).toBeDefined();
      expect(await other.uses?.get("c")).toBeDefined();
      expect((await one.uses?.unused(100, 9))?.map(({ id }) => id)).toEqual(["d"]);
    });
  });

  it("KS1: tenants and collections do not see one another", async () => {
    const world = `shared${++worlds}`;
    const [one, other] = [make("one", world), make("other", world)];
    await one.putDocument("c", documentNamed("a"));
    await one.putChunks("c", [chunk("1", "tea")]);
    await other.putDocument("c", documentNamed("a", { hash: "other" }));
    await other.putChunks("c", [chunk("1", "coffee")]);
    await one.putChunks("d", [chunk("1", "tea in d")]);
    expect(await other.searchText("c", ["tea"], 5)).toEqual([]);
    expect(await one.chunks("c", ["1"])).toMatchObject([{ text: "tea" }]);
    expect((await one.searchText("c", ["tea"], 5)).map(({ text }) => text)).toEqual(["tea"]);
    await one.deleteCollection("c");
    expect(await one.info("c")).toEqual({ name: "c", documents: 0, chunks: 0 });
    expect(await one.chunks("d", ["1"])).toHaveLength(1);
    expect(await other.document("c", "id-a")).toMatchObject({ hash: "other" });
  });

  it("collections are listed by name", async () => {
    const store = empty();
    for (const name of ["b", "a", "c"]) await store.putDocument(name, documentNamed("x"));
    expect((await store.collections({ limit: 2 })).map(({ name }) => name)).toEqual(["a", "b"]);
    expect(await store.collections({ limit: 2, after: "b" })).toMatchObject([
      { name: "c", documents: 1 },
    ]);
  });
}
