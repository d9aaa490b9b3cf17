import { readdirSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { D1BackupRows } from "../../../../src/cloudflare/stores/d1-backup-rows.ts";
import { D1MemoryRecords } from "../../../../src/cloudflare/stores/d1-memory-records.ts";
import { tenantsWithOldWords } from "../../../../src/cloudflare/stores/memory-words.ts";
import { TEXT_VERSION } from "../../../../src/text/terms.ts";
import { readSource } from "../../../support/source-files.ts";
import { sqliteD1 } from "../../../support/sqlite-d1.ts";

const MIGRATIONS = readdirSync(new URL("../../../../migrations/", import.meta.url)).toSorted();
const NEW = "0032_recall.sql";

/** Writes a row as earlier versions of the Worker do. */
function writeOldRow(sqlite: DatabaseSync, id: string, content: string): void {
  sqlite
    .prepare(
      `INSERT INTO memories (tenant, id, scope, content, categories, metadata, importance, source, private, created_at, last_accessed, version)
        VALUES ('t', ?, '/', ?, '[]', '{}', 0.5, NULL, 0, 0, 0, 1)`,
    )
    .run(id, content);
}

function count(sqlite: DatabaseSync, table: string): unknown {
  return sqlite.prepare(`SELECT count(*) AS n FROM ${table}_docsize`).get()?.["n"];
}

async function find(records: D1MemoryRecords, query: string): Promise<readonly string[]> {
  const found = await records.searchText(query, { limit: 5, filter: {} });
  return found.map(({ record }) => record.id);
}

describe("full text of memories in D1", () => {
  it("finds rows of earlier versions, and rewrites them in bounded batches", async () => {
    const sqlite = new DatabaseSync(":memory:");
    const apply = (names: readonly string[]): void => {
      for (const name of names) sqlite.exec(readSource(`migrations/${name}`));
    };
    apply(MIGRATIONS.filter((name) => name < NEW));
    writeOldRow(sqlite, "kettle", "The kettles are boiling");
    writeOldRow(sqlite, "tea", "Tea needs water");
    writeOldRow(sqlite, "jam", "Jam needs sugar");
    apply(MIGRATIONS.filter((name) => name >= NEW));
    writeOldRow(sqlite, "late", "A kettle written by an earlier Worker");
    const db = sqliteD1(sqlite);
    const records = new D1MemoryRecords(db, "t");
    expect((await find(records, "kettle")).toSorted()).toEqual(["kettle", "late"]);
    expect(await tenantsWithOldWords(db)).toEqual(["t"]);
    expect(await records.renewWords(2)).toBe(2);
    expect([count(sqlite, "memory_text"), count(sqlite, "memory_words")]).toEqual([2, 2]);
    expect((await find(records, "kettle")).toSorted()).toEqual(["kettle", "late"]);
    expect(await records.renewWords(9)).toBe(2);
    expect([count(sqlite, "memory_text"), count(sqlite, "memory_words")]).toEqual([0, 4]);
    expect(await tenantsWithOldWords(db)).toEqual([]);
    expect((await find(records, "boiling kettle"))[0]).toBe("kettle");
    await records.deleteWhere({}, { op: "all", atMs: 0 });
    expect([count(sqlite, "memory_text"), count(sqlite, "memory_words")]).toEqual([0, 0]);
  });

  it("an update of an old row makes its words", async () => {
    const db = sqliteD1();
    writeOldRow(db.sqlite, "a", "first words");
    const records = new D1MemoryRecords(db, "t");
    const [old] = await records.get(["a"]);
    await records.apply({ op: "u", atMs: 0, updates: [{ ...old!, content: "second thoughts" }] });
    expect(await find(records, "first")).toEqual([]);
    expect(await find(records, "second")).toEqual(["a"]);
    expect([count(db.sqlite, "memory_text"), count(db.sqlite, "memory_words")]).toEqual([0, 1]);
  });

  it("finds restored rows at once, and their neighbours' words after the next rewriting", async () => {
    const at = new Date(0).toISOString();
    const base = { categories: [], metadata: {}, importance: 0.5, private: false, scope: "/" };
    const times = { createdAt: at, lastAccessed: at };
    const from = sqliteD1();
    await new D1MemoryRecords(from, "t").apply({
      op: "x",
      atMs: 0,
      inserts: [
        { id: "q", content: "Which instrument?", ...base, ...times, neighbours: ["a"] },
        { id: "a", content: "The oboe", ...base, ...times, neighbours: ["q"], speaker: "Ann" },
      ],
    });
    const { items } = await new D1BackupRows(from).page({
      tenant: "t",
      table: "memories",
      limit: 9,
    });
    const to = sqliteD1();
    await new D1BackupRows(to).insert("t", "memories", items);
    const records = new D1MemoryRecords(to, "t");
    expect(await find(records, "oboe")).toEqual(["a"]);
    expect(await records.renewWords(9)).toBe(2);
    expect((await find(records, "oboe")).toSorted()).toEqual(["a", "q"]);
    expect(await records.get(["a"])).toMatchObject([{ speaker: "Ann", neighbours: ["q"] }]);
  });

  it("has an index of rows with terms of earlier versions", () => {
    const { sqlite } = sqliteD1();
    const indexes = sqlite.prepare("SELECT sql FROM sqlite_master WHERE type = 'index'").all();
    expect(indexes.map(({ sql }) => String(sql)).join("\n")).toContain(
      `ON memories (tenant) WHERE words < ${TEXT_VERSION}`,
    );
    const plan = sqlite
      .prepare(
        `EXPLAIN QUERY PLAN SELECT m.id FROM memories m WHERE m.tenant = 't' AND m.words < ${TEXT_VERSION}`,
      )
      .all();
    expect(JSON.stringify(plan)).toContain("memories_of_old_words");
  });
});
