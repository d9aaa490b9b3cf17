import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { D1DefinitionStore } from "../../../src/cloudflare/d1-definition-store.ts";
import { D1KeyStore } from "../../../src/cloudflare/d1-key-store.ts";
import { onDatabase, type Database, type Statement } from "../../../src/cloudflare/d1.ts";
import type { ApiKey } from "../../../src/parts/key-store.ts";
import { MemoryDefinitionStore, MemoryKeyStore } from "../../support/memory-stores.ts";
import { readSource } from "../../support/source-files.ts";

/** `node:sqlite` as D1 answers, with the released schema unless told otherwise. */
function database(options: { migrated: boolean } = { migrated: true }): Database {
  const sqlite = new DatabaseSync(":memory:");
  if (options.migrated)
    for (const name of ["0001_foundation", "0003_files"])
      sqlite.exec(readSource(`migrations/${name}.sql`));
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

function key(id: string, more: Partial<ApiKey> = {}): ApiKey {
  return { id, tenant: "acme", scopes: ["run", "read"], createdAtMs: 5, ...more };
}

describe.each([
  ["in memory", () => new MemoryKeyStore()],
  ["in D1", () => new D1KeyStore(database())],
])("keys %s", (_, open) => {
  it("are found by hash alone, as they were added", async () => {
    const store = open();
    expect(await store.any()).toBe(false);
    expect(await store.find("h1")).toBeUndefined();
    await store.add(key("a"), "h1");
    await store.add(key("b", { name: "frontend", scopes: ["admin"] }), "h2");
    expect(await store.any()).toBe(true);
    expect(await store.find("h1")).toEqual(key("a"));
    expect(await store.find("h2")).toEqual(key("b", { name: "frontend", scopes: ["admin"] }));
    expect(await store.find("' OR 1=1 --")).toBeUndefined();
  });

  it("are listed by id in pages, and deleted once", async () => {
    const store = open();
    for (const id of ["c", "a", "b"]) await store.add(key(id), `hash-${id}`);
    const ids = async (page: { afterId?: string; limit: number }) =>
      (await store.list(page)).map((each) => each.id);
    expect(await ids({ limit: 2 })).toEqual(["a", "b"]);
    expect(await ids({ afterId: "b", limit: 2 })).toEqual(["c"]);
    expect(await store.delete("a")).toBe(true);
    expect(await store.delete("a")).toBe(false);
    expect(await ids({ limit: 5 })).toEqual(["b", "c"]);
  });
});

describe.each([
  ["in memory", () => new MemoryDefinitionStore()],
  ["in D1", () => new D1DefinitionStore(database())],
])("definitions %s", (_, open) => {
  it("are written whole; the first time is told from later ones", async () => {
    const store = open();
    expect(
      await store.put("acme", "crew", { name: "notes", definition: { a: [1, "ä"] }, nowMs: 5 }),
    ).toBe(true);
    expect(
      await store.put("acme", "crew", { name: "notes", definition: { b: null }, nowMs: 5 }),
    ).toBe(false);
    expect(await store.put("acme", "crew", { name: "notes", definition: { c: 1 }, nowMs: 9 })).toBe(
      false,
    );
    expect(await store.get("acme", "crew", "notes")).toEqual({
      name: "notes",
      definition: { c: 1 },
      createdAtMs: 5,
      updatedAtMs: 9,
    });
    expect(await store.get("other", "crew", "notes")).toBeUndefined();
  });

  it("are listed by name in pages, and deleted once, within a tenant", async () => {
    const store = open();
    for (const name of ["c", "a", "b"])
      await store.put("acme", "crew", { name, definition: {}, nowMs: 1 });
    await store.put("other", "crew", { name: "x", definition: {}, nowMs: 1 });
    const names = async (page: { afterName?: string; limit: number }) =>
      (await store.list("acme", "crew", page)).map((each) => each.name);
    expect(await names({ limit: 2 })).toEqual(["a", "b"]);
    expect(await names({ afterName: "b", limit: 2 })).toEqual(["c"]);
    expect(await store.delete("other", "crew", "a")).toBe(false);
    expect(await store.delete("acme", "crew", "a")).toBe(true);
    expect(await store.delete("acme", "crew", "a")).toBe(false);
  });
});

describe("a database", () => {
  it("without tables says what to do", async () => {
    const bare = database({ migrated: false });
    for (const work of [
      new D1KeyStore(bare).any(),
      new D1DefinitionStore(bare).list("acme", "crew", { limit: 1 }),
    ]) {
      await expect(work).rejects.toMatchObject({
        code: "unavailable",
        retryable: false,
        message: expect.stringContaining("wrangler d1 migrations apply"),
      });
    }
  });

  it("that rests for a moment may be asked again", async () => {
    await expect(
      onDatabase(() => Promise.reject(new Error("D1_ERROR: Network connection lost."))),
    ).rejects.toMatchObject({ code: "unavailable", retryable: true });
  });

  it("that is asked nonsense is our fault", async () => {
    const bug = new Error('D1_ERROR: near "SELEC": syntax error');
    await expect(onDatabase(() => Promise.reject(bug))).rejects.toBe(bug);
  });
});
