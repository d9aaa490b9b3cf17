import { describe, expect, it } from "vitest";
import { BACKUP_TABLES, columnsOf, LEFT_OUT } from "../../../src/backup/backup-tables.ts";
import { readSource } from "../../support/source-files.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

const { sqlite } = sqliteD1();
const tables = sqlite
  .prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  )
  .all()
  .map(({ name }) => String(name))
  // The tables in which full-text search keeps its own.
  .filter((name) => !/^(memory_text|memory_words|knowledge_words|knowledge_terms)_/.test(name));

describe("the tables of a backup", () => {
  it("BUT1: names every table of the database, as included or as left out with a reason", () => {
    const known = [...Object.keys(BACKUP_TABLES), ...Object.keys(LEFT_OUT)];
    expect(known.toSorted()).toEqual(tables);
    for (const reason of Object.values(LEFT_OUT)) expect(reason.length).toBeGreaterThan(5);
  });

  it.each(Object.entries(BACKUP_TABLES))("BUT2: has all columns of %s", (table, spec) => {
    const columns = sqlite
      .prepare(`SELECT name FROM pragma_table_info(?)`)
      .all(table)
      .map(({ name }) => String(name));
    const known = [
      "tenant",
      ...columnsOf(spec),
      ...Object.keys(spec.set ?? {}),
      ...(spec.number === undefined ? [] : [spec.number]),
    ];
    expect(known.toSorted()).toEqual(columns.toSorted());
    for (const column of [...(spec.changing ?? []), ...(spec.history ?? [])])
      expect(columns).toContain(column);
  });

  it("has a row in the documentation for each table", () => {
    const page = readSource("docs/backup.md");
    for (const [table, reason] of Object.entries(LEFT_OUT)) {
      expect(page).toContain(`\`${table}\``);
      expect(page).toContain(reason);
    }
    for (const table of Object.keys(BACKUP_TABLES)) expect(page).toContain(`| \`${table}\` |`);
  });
});
