import { expect, it } from "vitest";
import { newDatabaseSql } from "../../../src/cli/local-database.ts";
import { projectFolder } from "../../support/project-folder.ts";

const DATABASE = { binding: "DB", database_name: "desk", migrations_dir: "sql" };
const FILES = {
  "sql/0002_b.sql": "CREATE TABLE b (id TEXT);\n",
  "sql/0001_a.sql": "CREATE TABLE a (id TEXT);\n",
  "sql/notes.md": "nothing",
};

function folderOf(config: object, files: Readonly<Record<string, string>> = FILES): string {
  return projectFolder({ ...files, "wrangler.json": JSON.stringify(config) });
}

it("LDB2: holds all migrations in their order, each recorded as applied", () => {
  const folder = folderOf({ d1_databases: [DATABASE] });
  const lines = newDatabaseSql({ folder })?.split("\n") ?? [];
  expect(lines.filter((line) => /^CREATE|^INSERT/.test(line))).toEqual([
    'CREATE TABLE "d1_migrations"(',
    "CREATE TABLE a (id TEXT);",
    `INSERT INTO "d1_migrations" (name) VALUES ('0001_a.sql');`,
    "CREATE TABLE b (id TEXT);",
    `INSERT INTO "d1_migrations" (name) VALUES ('0002_b.sql');`,
  ]);
});

it("LDB2: reads the named configuration, its environment and its table", () => {
  const own = { ...DATABASE, migrations_table: "done" };
  const config = { env: { staging: { d1_databases: [own] } } };
  const folder = projectFolder({ ...FILES, "other.json": JSON.stringify(config) });
  const place = { folder, config: "other.json" };
  expect(newDatabaseSql({ ...place, environment: "staging" })).toContain('CREATE TABLE "done"(');
  expect(newDatabaseSql(place)).toBeUndefined();
});

it("LDB2: reads migrations from the folder of the configuration, as wrangler does", () => {
  const config = { d1_databases: [{ ...DATABASE, migrations_dir: "../sql" }] };
  const folder = projectFolder({ ...FILES, "apps/desk.json": JSON.stringify(config) });
  expect(newDatabaseSql({ folder, config: "apps/desk.json" })).toContain("CREATE TABLE a");
  expect(newDatabaseSql({ folder, config: "desk.json" })).toBeUndefined();
});

it.each([".wrangler/state", "elsewhere"])("LDB1: is undefined when %s has a database", (state) => {
  const databases = `${state}/v3/d1/miniflare-D1DatabaseObject`;
  const config = { d1_databases: [DATABASE] };
  const persistTo = state === "elsewhere" ? state : undefined;
  const runtimeOnly = folderOf(config, { ...FILES, [`${databases}/metadata.sqlite`]: "" });
  expect(newDatabaseSql({ folder: runtimeOnly, persistTo })).toContain("CREATE TABLE a");
  const folder = folderOf(config, { ...FILES, [`${databases}/0a1b.sqlite`]: "" });
  expect(newDatabaseSql({ folder, persistTo })).toBeUndefined();
});

it.each([
  ["no database", []],
  ["a database of another name", [{ ...DATABASE, binding: "OTHER" }]],
  ["a second database", [DATABASE, { ...DATABASE, binding: "OTHER" }]],
  ["a pattern", [{ ...DATABASE, migrations_pattern: "sql/*/up.sql" }]],
  ["a missing folder", [{ ...DATABASE, migrations_dir: "none" }]],
  ["a table with a strange name", [{ ...DATABASE, migrations_table: 'a"b' }]],
])("LDB1: leaves a configuration with %s to wrangler", (_, databases) => {
  expect(newDatabaseSql({ folder: folderOf({ d1_databases: databases }) })).toBeUndefined();
});

it("LDB1: leaves names without a number of four digits to wrangler, and unreadable configurations", () => {
  const files = { ...FILES, "sql/10_c.sql": "SELECT 1;" };
  expect(newDatabaseSql({ folder: folderOf({ d1_databases: [DATABASE] }, files) })).toBeUndefined();
  expect(newDatabaseSql({ folder: projectFolder({ "wrangler.json": "{" }) })).toBeUndefined();
  expect(newDatabaseSql({ folder: projectFolder({}) })).toBeUndefined();
});
