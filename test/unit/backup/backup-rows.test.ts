import { describe, expect, it } from "vitest";
import type { BackupRow } from "../../../src/backup/backup-rows.ts";
import { D1BackupRows } from "../../../src/cloudflare/stores/d1-backup-rows.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

const definition = (name: string, text = "{}"): BackupRow => ({
  kind: "crew",
  name,
  definition: text,
  created_at: 1,
  updated_at: 2,
});

async function all(
  rows: D1BackupRows,
  { tenant, table, limit }: { tenant: string; table: string; limit: number },
): Promise<readonly BackupRow[]> {
  const found: BackupRow[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await rows.page({ tenant, table, cursor, limit });
    found.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined) return found;
  }
}

describe("rows for backups", () => {
  it("come in pages, each once, also with names of other scripts, and of one tenant alone", async () => {
    const rows = new D1BackupRows(sqliteD1());
    const names = ["a", "b", "ß", "日本", "é"];
    await rows.insert(
      "t",
      "definitions",
      names.map((name) => definition(name)),
    );
    await rows.insert("u", "definitions", [definition("a")]);
    for (const limit of [1, 2, 5, 100]) {
      const found = await all(rows, { tenant: "t", table: "definitions", limit });
      expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    }
    expect(await all(rows, { tenant: "u", table: "definitions", limit: 10 })).toEqual([
      definition("a"),
    ]);
  });

  it("come in pages of limited size", async () => {
    const rows = new D1BackupRows(sqliteD1());
    const long = "x".repeat(1_500_000);
    for (const name of ["a", "b", "c", "d", "e"])
      await rows.insert("t", "definitions", [definition(name, long)]);
    const page = await rows.page({ tenant: "t", table: "definitions", limit: 100 });
    expect(page.items.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(page.nextCursor).toBeDefined();
    const found = await all(rows, { tenant: "t", table: "definitions", limit: 100 });
    expect(found.map(({ name }) => name)).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("are missing, the same, or conflicts, regardless of columns that change by themselves", async () => {
    const rows = new D1BackupRows(sqliteD1());
    await rows.insert("t", "definitions", [definition("a"), definition("b")]);
    const asked = [{ ...definition("a"), updated_at: 99 }, definition("b", "[]"), definition("c")];
    expect(await rows.compare("t", "definitions", asked)).toEqual({
      same: 1,
      conflicts: [{ kind: "crew", name: "b" }],
      missing: [definition("c")],
    });
  });

  it("are added once: a key taken meanwhile stays as it is", async () => {
    const rows = new D1BackupRows(sqliteD1());
    await rows.insert("t", "definitions", [definition("a", '"first"')]);
    expect(
      await rows.insert("t", "definitions", [definition("a", '"second"'), definition("b")]),
    ).toEqual([false, true]);
    const [first] = await all(rows, { tenant: "t", table: "definitions", limit: 9 });
    expect(first).toMatchObject({ definition: '"first"' });
  });

  it("keep the order in which they came, and an old state is not put after a newer one", async () => {
    const state = (key: string, createdAt: number): BackupRow => ({
      run_id: "r",
      key,
      flow: "f",
      flow_id: "1",
      method: "m",
      state: "{}",
      bytes: 2,
      created_at: createdAt,
    });
    const rows = new D1BackupRows(sqliteD1());
    await rows.insert("t", "flow_states", [state("z", 1), state("a", 2), state("m", 3)]);
    const found = await all(rows, { tenant: "t", table: "flow_states", limit: 2 });
    expect(found.map(({ key }) => key)).toEqual(["z", "a", "m"]);
    expect(await rows.insert("t", "flow_states", [state("old", 2), state("new", 4)])).toEqual([
      false,
      true,
    ]);
  });

  it("give restored memories a place of their own in the order of writes, without vectors", async () => {
    const db = sqliteD1();
    const memory = (id: string): BackupRow => ({
      id,
      scope: "/",
      content: `About ${id}`,
      categories: "[]",
      metadata: "{}",
      importance: 0.5,
      source: null,
      private: 0,
      created_at: 1,
      last_accessed: 1,
    });
    const rows = new D1BackupRows(db);
    await rows.insert("t", "memories", [memory("a")]);
    await rows.insert("t", "memories", [memory("b")]);
    expect(
      db.sqlite.prepare("SELECT id, version, indexed FROM memories ORDER BY id").all(),
    ).toMatchObject([
      { id: "a", version: 1, indexed: 0 },
      { id: "b", version: 2, indexed: 0 },
    ]);
  });

  it("refuse tables outside backups", async () => {
    const rows = new D1BackupRows(sqliteD1());
    await expect(rows.page({ tenant: "t", table: "api_keys", limit: 1 })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
