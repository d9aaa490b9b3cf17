import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { mysqlSearch } from "../../../../../src/tools/catalog/documents/mysql-search.ts";
import { pgSearch } from "../../../../../src/tools/catalog/documents/pg-search.ts";
import { sqliteBinding } from "../../../../support/sqlite-binding.ts";
import { documentWorld } from "../../../../support/document-world.ts";

function shop() {
  const sqlite = new DatabaseSync(":memory:");
  sqlite.exec(
    `CREATE TABLE "my items" (id INTEGER, name TEXT, note TEXT, photo BLOB);
     INSERT INTO "my items" VALUES (1, 'Teapot', 'has a blue lid', x'0102'), (2, 'Kettle', NULL, NULL);`,
  );
  const database = sqliteBinding(sqlite);
  const databases = (name: string) =>
    name === "DB" ? ({ kind: "d1", database } as const) : undefined;
  return { database, ...documentWorld({ services: { databases } }) };
}

describe("search of a table", () => {
  it.each([mysqlSearch, pgSearch])("finds rows, with their columns: %#", async (make) => {
    const { ask, database } = shop();
    const tool = make({ dbUri: "d1:DB", tableName: "my items" });
    const { text, extras } = await ask(tool, { search_query: "Which item has a blue lid?" });
    expect(text).toContain(
      "id: 1 | name: Teapot | note: has a blue lid | photo: <2 bytes>\nid: 2 | name: Kettle | note: NULL | photo: NULL",
    );
    expect(extras.untrusted).toEqual(["d1:DB/my items"]);
    const asked = database.statements.length;
    await ask(tool, { search_query: "kettle" });
    expect(database.statements).toHaveLength(asked);
  });

  it("reads only existing tables", async () => {
    const { ask } = shop();
    const failed = async (tableName: string) =>
      (await ask(mysqlSearch({ dbUri: "d1:DB", tableName }), { search_query: "x" })).failure;
    expect(await failed("nothing")).toMatchObject({ code: "not_found" });
    expect(await failed('x"; DROP TABLE y; --')).toMatchObject({ code: "not_found" });
  });

  it("needs an address, and keeps a password out of its messages", async () => {
    expect(() => mysqlSearch({ tableName: "x" })).toThrow(/MySQLSearchTool.dbUri/);
    expect(() => mysqlSearch({ dbUri: "ftp://x", tableName: "x" })).not.toThrow();
    const { ask } = shop();
    const dbUri = "postgres://me:tiger-0123@db.example:5432/shop";
    const { everything } = await ask(pgSearch({ dbUri, tableName: "x" }), { search_query: "x" });
    expect(everything).not.toContain("tiger-0123");
  });
});
