// What a store of records does, wherever its rows are. One suite for every store: `describeMemoryRecords(form)`.
import { beforeEach, describe, expect, it } from "vitest";
import type { MemoryRecord } from "../../src/memory/memory-record.ts";
import type { MemoryRecords, RecordFilter } from "../../src/memory/memory-records.ts";

export type MemoryRecordsForm = {
  readonly name: string;
  /** The records of a tenant; those of another tenant lie in the same database where there is one. */
  readonly open: (tenant: string) => MemoryRecords;
};

const START = Date.parse("2026-01-01T00:00:00Z");
let tenants = 0;
let ops = 0;

function record(id: string, more: Partial<MemoryRecord> = {}, ageMs = 0): MemoryRecord {
  const at = new Date(START - ageMs).toISOString();
  return {
    id,
    content: `content of ${id}`,
    scope: "/",
    categories: [],
    metadata: {},
    importance: 0.5,
    createdAt: at,
    lastAccessed: at,
    private: false,
    ...more,
  };
}

export function describeMemoryRecords({ name, open }: MemoryRecordsForm): void {
  describe(`records ${name}`, () => {
    let tenant: string;
    let store: MemoryRecords;

    beforeEach(() => {
      tenant = `tenant-${++tenants}`;
      store = open(tenant);
    });

    const insert = (...inserts: readonly MemoryRecord[]) =>
      store.apply({ op: `op-${++ops}`, atMs: START, inserts });
    const ids = async (filter: RecordFilter = {}): Promise<string[]> =>
      (await store.list(filter, { limit: 1000 })).items.map(({ id }) => id).toSorted();
    const idsIn = async (query: string, options: { limit: number; filter: RecordFilter }) =>
      (await store.searchText(query, options)).map(({ record: found }) => found.id);
    const removed = (filter: RecordFilter): Promise<number> =>
      store.deleteWhere(filter, { op: `op-${++ops}`, atMs: START });

    it("gives back records as they were given, in the order that they are asked for", async () => {
      const full = record("a", {
        content: "Zoë’s “tea”\n\t— 茶 😀 'quoted' \\ {x}",
        scope: "/crew/x",
        categories: ["b", "a"],
        metadata: { z: 1, a: { y: [1, "two", null], b: true }, t: "\u0000", e: 1e21 },
        importance: 0.123456789,
        source: "u'1",
        private: true,
        lastAccessed: "2026-05-05T05:05:05.005Z",
      });
      await insert(full, record("b"), record("c"));
      expect(await store.get(["c", "a", "none"])).toEqual([record("c"), full]);
      expect(await store.get([])).toEqual([]);
    });

    it("MR1, MP1: a scope is itself and what is below it", async () => {
      for (const [index, scope] of [
        "/",
        "/crew",
        "/crew/test",
        "/crew/test/a",
        "/crew/test2",
        "/crew/test-2",
        "/crew/test.x",
        "/crew/TEST",
        "/%",
        "/_",
      ].entries())
        await insert(record(`${index}`, { scope }));
      expect(await ids({ scope: "/crew/test" })).toEqual(["2", "3"]);
      expect(await ids({ scope: "/crew" })).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
      expect(await ids({ scope: "/" })).toHaveLength(10);
      expect(await ids({ scope: "/%" })).toEqual(["8"]);
      expect(await ids({ scope: "/_" })).toEqual(["9"]);
      expect(await removed({ scope: "/crew/test" })).toBe(2);
      expect(await ids()).toHaveLength(8);
    });

    it("MR1: all parts of a filter must hold", async () => {
      await insert(
        record(
          "a",
          {
            categories: ["x", "y"],
            metadata: { n: 1, s: "t", b: true, o: { k: 1, a: [1] }, z: null },
          },
          5000,
        ),
        record("b", { categories: ["y"], metadata: { n: 2, s: "1", b: false } }, 3000),
        record("c", { source: "u1", private: true }, 1000),
        record("d", { private: true }),
      );
      const cases: readonly [RecordFilter, string[]][] = [
        [{ categories: ["x", "q"] }, ["a"]],
        [{ categories: ["y"] }, ["a", "b"]],
        [{ categories: [] }, []],
        [{ categories: ["'; DROP TABLE memories; --"] }, []],
        [{ metadata: { n: 1 } }, ["a"]],
        [{ metadata: { n: 1, s: "t" } }, ["a"]],
        [{ metadata: { n: 1, s: "u" } }, []],
        [{ metadata: { s: 1 } }, []],
        [{ metadata: { s: "1" } }, ["b"]],
        [{ metadata: { b: true } }, ["a"]],
        [{ metadata: { b: false } }, ["b"]],
        [{ metadata: { o: { a: [1], k: 1 } } }, ["a"]],
        [{ metadata: { o: { a: [1] } } }, []],
        [{ metadata: { z: null } }, ["a"]],
        [{ metadata: { none: null } }, []],
        [{ metadata: {} }, ["a", "b", "c", "d"]],
        [{ ids: ["a", "d"], categories: ["x"] }, ["a"]],
        [{ ids: [] }, []],
        [{ beforeMs: START - 3000 }, ["a"]],
        [{ fromMs: START - 3000 }, ["b", "c", "d"]],
        [{ fromMs: START - 3000, beforeMs: START }, ["b", "c"]],
        [{ visibleTo: "u1" }, ["a", "b", "c"]],
        [{ visibleTo: "u2" }, ["a", "b"]],
        [{ visibleTo: null }, ["a", "b"]],
        [{ visibleTo: "" }, ["a", "b"]],
      ];
      for (const [filter, expected] of cases) {
        expect({ filter, ids: await ids(filter) }).toEqual({ filter, ids: expected });
        expect(await store.count(filter)).toBe(expected.length);
      }
      expect(await removed({ ids: ["a", "b"], categories: ["x"], beforeMs: START })).toBe(1);
      expect(await ids()).toEqual(["b", "c", "d"]);
    });

    it("MR2: makes a change whole and once, under its name", async () => {
      await insert(record("old"), record("gone"));
      const change = {
        op: "the change",
        atMs: START,
        inserts: [record("new")],
        updates: [record("old", { content: "changed" }), record("never there")],
        deletes: ["gone"],
      };
      const done = await store.apply(change);
      expect(done.state).toBe("done");
      expect(await ids()).toEqual(["new", "old"]);
      expect((await store.get(["old"]))[0]?.content).toBe("changed");
      expect(await store.apply({ ...change, inserts: [record("another")] })).toEqual(done);
      expect(await ids()).toEqual(["new", "old"]);
      await insert(record("new", { content: "not this" }));
      expect((await store.get(["new"]))[0]?.content).toBe("content of new");
    });

    it("MR2: deletes by filter once, and answers the same again", async () => {
      await insert(record("a"), record("b", { scope: "/x" }));
      const op = { op: "delete once", atMs: START };
      expect(await store.deleteWhere({ scope: "/x" }, op)).toBe(1);
      await insert(record("c", { scope: "/x" }));
      expect(await store.deleteWhere({ scope: "/x" }, op)).toBe(1);
      expect(await ids()).toEqual(["a", "c"]);
    });

    it("MR3: a change that something in its scope came before is a conflict, and changes nothing", async () => {
      await insert(record("a", { scope: "/x" }));
      const mark = await store.mark();
      const after = (scope: string, op: string) => ({
        op,
        atMs: START,
        since: { mark, scope },
        inserts: [record(op, { scope })],
        deletes: ["a"],
      });
      await insert(record("b", { scope: "/x/deep" }));
      expect(await store.apply(after("/x", "late"))).toEqual({ state: "conflict" });
      expect(await store.apply(after("/x", "late"))).toEqual({ state: "conflict" });
      expect(await ids()).toEqual(["a", "b"]);
      expect((await store.apply(after("/x2", "elsewhere"))).state).toBe("done");
      expect(await ids()).toEqual(["b", "elsewhere"]);
      expect(
        (
          await store.apply({
            ...after("/x", "again"),
            since: { mark: await store.mark(), scope: "/x" },
          })
        ).state,
      ).toBe("done");
    });

    it("MR3: of many that change one scope at once, one is first", async () => {
      const mark = await store.mark();
      const results = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          store.apply({
            op: `race ${index}`,
            atMs: START,
            since: { mark, scope: "/race" },
            inserts: [record(`${index}`, { scope: "/race" })],
          }),
        ),
      );
      expect(results.filter(({ state }) => state === "done")).toHaveLength(1);
      expect(await ids({ scope: "/race" })).toHaveLength(1);
    });

    it("MR7: passes over what is there already at the same scope, of the same source and privacy", async () => {
      const told = { content: "the very text", scope: "/x", source: "u1" };
      await insert(record("a", told));
      await insert(
        record("b", told),
        record("c", { ...told, scope: "/x/y" }),
        record("d", { ...told, source: "u2" }),
        record("e", { content: told.content, scope: "/x" }),
        record("f", { ...told, private: true }),
        record("g", { ...told, content: `${told.content}.` }),
      );
      expect(await ids()).toEqual(["a", "c", "d", "e", "f", "g"]);
      expect(await ids({ scope: "/x", contents: ["the very text", "no"] })).toEqual([
        "a",
        "c",
        "d",
        "e",
        "f",
      ]);
      expect(await ids({ contents: [] })).toEqual([]);
      await store.apply({
        op: `op-${++ops}`,
        atMs: START,
        deletes: ["a"],
        inserts: [record("h", told)],
      });
      expect(await ids({ contents: [told.content] })).toEqual(["c", "d", "e", "f", "h"]);
      await insert(record("i", { ...told, content: "x".repeat(70) }));
      await insert(record("j", { ...told, content: `${"x".repeat(70)}y` }));
      await insert(record("k", { ...told, content: "x".repeat(70) }));
      expect(await ids({ contents: ["x".repeat(70), `${"x".repeat(70)}y`] })).toEqual(["i", "j"]);
    });

    it("MR7: twenty that insert the same at once insert it once", async () => {
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => insert(record(`${index}`, { content: "same" }))),
      );
      expect(await ids()).toHaveLength(1);
    });

    it("MR7: a change that needs what is gone is a conflict, and changes nothing", async () => {
      await insert(record("a"), record("b"));
      const change = (op: string) =>
        store.apply({ op, atMs: START, needs: ["a", "b"], inserts: [record(`by ${op}`)] });
      expect(await change("one")).toMatchObject({ state: "done" });
      await removed({ ids: ["a"] });
      expect(await change("two")).toEqual({ state: "conflict" });
      expect(await change("one")).toMatchObject({ state: "done" });
      expect(await ids()).toEqual(["b", "by one"]);
    });

    it("MR4: keeps what the index has not heard of", async () => {
      const { version } = (await insert(record("a"), record("b"))) as { version: number };
      const missing = async () =>
        (await store.pendingIndexing({}, 10)).missing.map(({ record: { id } }) => id).toSorted();
      const stale = async () => [...(await store.pendingIndexing({}, 10)).stale].toSorted();
      expect(await missing()).toEqual(["a", "b"]);
      expect((await store.pendingIndexing({ ids: ["b"] }, 10)).missing).toEqual([
        { record: record("b"), version },
      ]);
      expect((await store.pendingIndexing({ scope: "/none" }, 10)).missing).toEqual([]);
      await store.indexed(["a", "b"], version);
      expect(await missing()).toEqual([]);

      const change = (updated: MemoryRecord) =>
        store.apply({ op: `op-${++ops}`, atMs: START, updates: [updated] });
      await change(record("a", { importance: 0.9, categories: ["n"], metadata: { k: 1 } }));
      expect(await missing()).toEqual([]);
      for (const more of [
        { content: "other" },
        { scope: "/s" },
        { source: "u" },
        { private: true },
      ]) {
        const now = (await change(record("a", more))) as { version: number };
        expect(await missing()).toEqual(["a"]);
        await store.indexed(["a"], now.version - 1); // of the version before
        expect(await missing()).toEqual(["a"]);
        await store.indexed(["a"], now.version);
        expect(await missing()).toEqual([]);
      }

      await removed({ ids: ["a"] });
      await store.apply({ op: `op-${++ops}`, atMs: START, deletes: ["b"] });
      expect(await stale()).toEqual(["a", "b"]);
      await insert(record("b"));
      expect(await stale()).toEqual(["a"]);
      await store.unindexed(["a"]);
      expect(await stale()).toEqual([]);
      await store.unindexAll();
      expect(await missing()).toEqual(["b"]);
    });

    it("MIX1, MIX2: gives the index to one embedder, which the next may take over after ten minutes", async () => {
      const state = async () => store.indexState?.();
      expect(await state()).toEqual({ records: 0, missing: 0, isPending: false });
      const first = (await insert(record("a"), record("b"))) as { version: number };
      await store.indexed(["a", "b"], first.version, "old");
      expect(await state()).toEqual({ records: 2, missing: 0, isPending: false });
      expect(await store.adoptIndex?.("new", START)).toBe(true);
      expect(await state()).toEqual({ records: 2, missing: 2, made: "new", isPending: true });
      await store.indexed(["a"], first.version, "new");
      expect(await store.adoptIndex?.("new", START + 1)).toBe(true);
      expect(await state()).toMatchObject({ missing: 1 });
      expect(await store.adoptIndex?.("old", START + 599_999)).toBe(false);
      expect(await state()).toMatchObject({ missing: 1, made: "new" });
      await store.settleIndex?.();
      expect(await state()).toMatchObject({ isPending: false, made: "new" });
      expect(await store.adoptIndex?.("old", START + 600_000)).toBe(true);
      expect(await state()).toEqual({ records: 2, missing: 2, made: "old", isPending: true });
      await store.releaseIndex?.();
      expect(await state()).toEqual({ records: 2, missing: 2, isPending: false });
    });

    it("MIX3: marks no record as indexed for an embedder that has lost the index", async () => {
      const { version } = (await insert(record("a"))) as { version: number };
      await store.adoptIndex?.("new", START);
      await store.indexed(["a"], version, "old");
      expect(await store.indexState?.()).toMatchObject({ missing: 1 });
      await store.indexed(["a"], version, "new");
      expect(await store.indexState?.()).toMatchObject({ missing: 0 });
    });

    it("MR4: leaves out the first records of what the index lacks", async () => {
      await insert(record("a"), record("b"), record("c"));
      const lacking = async (skip?: number) =>
        (await store.pendingIndexing({}, 2, skip)).missing.map(({ record: { id } }) => id);
      expect([...(await lacking()), ...(await lacking(2))].toSorted()).toEqual(["a", "b", "c"]);
      expect(await lacking(3)).toEqual([]);
    });

    it("MR5: lists newest first, page by page, without a gap or a double", async () => {
      await insert(
        ...Array.from({ length: 25 }, (_, index) =>
          record(
            `r${index}`,
            { scope: index % 5 === 0 ? "/x" : "/y" },
            Math.floor(index / 3) * 1000,
          ),
        ),
      );
      const seen: MemoryRecord[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.list({ scope: "/y" }, { limit: 4, cursor });
        seen.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(seen).toHaveLength(20);
      expect(new Set(seen.map(({ id }) => id)).size).toBe(20);
      const times = seen.map(({ createdAt }) => createdAt);
      expect(times).toEqual(times.toSorted().toReversed());
      await expect(store.list({}, { limit: 1, cursor: "nope" })).rejects.toMatchObject({
        code: "invalid_input",
      });
    });

    it("finds words, in any form, with the best match first", async () => {
      await insert(
        record("kettle", { content: "The kettle is boiling in the kitchen", scope: "/home" }),
        record("kettles", { content: "Kettles, kettles and more kettles" }),
        record("cafe", { content: "The Café opens at nine" }),
        record("secret", { content: "the kettle is stolen", source: "u1", private: true }),
      );
      const find = (query: string, filter: RecordFilter = {}) =>
        idsIn(query, { limit: 10, filter });
      expect(new Set(await find("where do kettles boil?", { visibleTo: null }))).toEqual(
        new Set(["kettle", "kettles"]),
      );
      expect((await find("boiled kettle in kitchen", { visibleTo: null }))[0]).toBe("kettle");
      expect(await find("CAFE")).toEqual(["cafe"]);
      expect(await find("kettle", { scope: "/home" })).toEqual(["kettle"]);
      expect(await find("stolen", { visibleTo: "u2" })).toEqual([]);
      expect(await find("stolen", { visibleTo: "u1" })).toEqual(["secret"]);
      expect(await idsIn("kettle", { limit: 1, filter: {} })).toHaveLength(1);
      expect(await find("nothing of the kind")).toEqual([]);
      for (const odd of [
        '"',
        "'; --",
        "AND OR NOT",
        "content:kettle*",
        "NEAR(a b)",
        "(((",
        "",
        "😀",
        "-kettle",
      ])
        expect({ odd, found: await find(odd) }).toEqual({ odd, found: expect.any(Array) });
    });

    it("finds no words that a record no longer has", async () => {
      await insert(record("a", { content: "first words" }));
      await store.apply({
        op: `op-${++ops}`,
        atMs: START,
        updates: [record("a", { content: "second thoughts" })],
      });
      expect(await idsIn("first", { limit: 5, filter: {} })).toEqual([]);
      expect(await idsIn("second", { limit: 5, filter: {} })).toEqual(["a"]);
      await removed({ ids: ["a"] });
      expect(await idsIn("second", { limit: 5, filter: {} })).toEqual([]);
    });

    it("RWD1: finds a record by its neighbours and its context, after those with the words themselves", async () => {
      const others = Array.from({ length: 12 }, (_, index) =>
        record(`other-${index}`, { content: `harbour report ${index}` }),
      );
      await insert(
        ...others,
        record("question", { content: "Which instrument do you play?", neighbours: ["answer"] }),
        record("answer", { content: "The oboe, since school.", neighbours: ["question"] }),
        record("task", { content: "Rain on Sunday", context: "Which oboe reeds suit beginners?" }),
      );
      const find = (query: string) => idsIn(query, { limit: 3, filter: { visibleTo: null } });
      expect(await find("instrument")).toEqual(["question", "answer"]);
      expect((await find("oboe"))[0]).toBe("answer");
      expect(new Set(await find("oboe"))).toEqual(new Set(["answer", "question", "task"]));
    });

    it("RWD1: prefers the words of the speaker named in the question, and finds dates and scopes", async () => {
      const at = "2023-05-08T10:00:00.000Z";
      await insert(
        record("ann", { content: "I painted a sunrise", speaker: "Ann Lee" }),
        record("bob", { content: "I painted a sunrise too", speaker: "Bob" }),
        record("may", { content: "We moved house", createdAt: at, scope: "/travel/lisbon" }),
        ...Array.from({ length: 8 }, (_, index) => record(`x${index}`)),
      );
      const find = (query: string) => idsIn(query, { limit: 1, filter: {} });
      expect(await find("Did Ann paint a sunrise?")).toEqual(["ann"]);
      expect(await find("Did Bob paint a sunrise?")).toEqual(["bob"]);
      expect(await find("May 2023")).toEqual(["may"]);
      expect(await find("Lisbon")).toEqual(["may"]);
      expect(await store.get(["ann", "may"])).toEqual([
        record("ann", { content: "I painted a sunrise", speaker: "Ann Lee" }),
        record("may", { content: "We moved house", createdAt: at, scope: "/travel/lisbon" }),
      ]);
    });

    it("MR8, RWD2: forgets the words of a deleted text in its neighbours", async () => {
      const conversation = "talk";
      await insert(
        record("first", { content: "the password is swordfish", conversation }),
        record("batch", { content: "noted", neighbours: ["first"] }),
      );
      await insert(record("later", { content: "thanks", conversation, neighbours: ["first"] }));
      const find = async () => (await idsIn("swordfish", { limit: 9, filter: {} })).toSorted();
      expect(await find()).toEqual(["batch", "first", "later"]);
      await store.apply({
        op: `op-${++ops}`,
        atMs: START,
        updates: [record("first", { content: "swordfish", conversation, neighbours: ["batch"] })],
      });
      await removed({ ids: ["first"] });
      await store.renewWords(10);
      expect(await find()).toEqual([]);
      expect(await store.renewWords(10)).toBe(0);
    });

    it("lists the records of a conversation", async () => {
      await insert(
        record("z", { conversation: "one" }),
        record("b", { conversation: "two" }),
        record("a", { conversation: "one" }),
        record("d"),
      );
      const last = async (limit: number) => (await store.lastOf("one", limit)).map(({ id }) => id);
      expect(await last(5)).toEqual(["a", "z"]);
      expect(await last(1)).toEqual(["a"]);
    });

    it("tells what is at a path and below it", async () => {
      await insert(
        record("a", { scope: "/crew/x", categories: ["two", "one"] }, 5000),
        record("b", { scope: "/crew/x/deep/er", categories: ["one", "one"] }, 1000),
        record("c", { scope: "/crew/xy" }),
        record("d", { scope: "/" }),
      );
      expect(await store.info("/crew")).toEqual({
        path: "/crew",
        recordCount: 3,
        categories: ["one", "two"],
        oldestRecord: "2025-12-31T23:59:55.000Z",
        newestRecord: "2026-01-01T00:00:00.000Z",
        childScopes: ["/crew/x", "/crew/xy"],
      });
      expect((await store.info("/")).childScopes).toEqual(["/crew"]);
      expect((await store.info("/crew/x")).childScopes).toEqual(["/crew/x/deep"]);
      expect((await store.info("/crew/x/deep/er")).childScopes).toEqual([]);
      expect(await store.info("/none")).toEqual({
        path: "/none",
        recordCount: 0,
        categories: [],
        childScopes: [],
      });
      expect(await store.scopes("/crew/x", 10)).toEqual([
        { scope: "/crew/x", count: 1 },
        { scope: "/crew/x/deep/er", count: 1 },
      ]);
      expect(await store.scopes("/", 2)).toHaveLength(2);
      expect(await store.categories("/crew")).toEqual({ one: 2, two: 1 });
    });

    it("notes when records were recalled", async () => {
      await insert(record("a"), record("b"));
      await store.touch(["a", "none"], START + 1234);
      const [a, b] = await store.get(["a", "b"]);
      expect(a?.lastAccessed).toBe("2026-01-01T00:00:01.234Z");
      expect(b).toEqual(record("b"));
    });

    it("MR6: knows nothing of other tenants", async () => {
      const other = open(`${tenant}-other`);
      await insert(record("mine", { content: "shared words" }));
      await other.apply({
        op: "o",
        atMs: START,
        inserts: [
          record("mine", { content: "shared words of theirs" }),
          record("theirs", { content: "shared words" }),
        ],
      });
      expect(await store.get(["mine", "theirs"])).toEqual([
        record("mine", { content: "shared words" }),
      ]);
      expect(await ids()).toEqual(["mine"]);
      expect(await idsIn("shared theirs", { limit: 10, filter: {} })).toEqual(["mine"]);
      expect((await store.info("/")).recordCount).toBe(1);
      expect(await store.mark()).toBe(1);
      expect((await store.pendingIndexing({}, 10)).missing).toHaveLength(1);
      await removed({});
      await store.unindexAll();
      expect(await other.count({})).toBe(2);
      expect((await other.pendingIndexing({}, 10)).stale).toEqual([]);
    });

    it("takes a thousand records in one change", async () => {
      const many = Array.from({ length: 1000 }, (_, index) =>
        record(`r${index}`, { content: `${index} ${"x".repeat(2000)}` }),
      );
      await insert(...many);
      expect(await store.count({})).toBe(1000);
      expect((await store.get(["r999"]))[0]?.content).toHaveLength(2004);
      await expect(insert(...many, record("one more"))).rejects.toMatchObject({
        code: "limit_exceeded",
      });
      await expect(store.get(Array.from({ length: 1001 }, () => "a"))).rejects.toMatchObject({
        code: "limit_exceeded",
      });
    });
  });
}
