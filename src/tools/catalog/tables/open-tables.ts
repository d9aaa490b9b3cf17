// Tables for code without an agent.
import { EngineError } from "../../../base/error.ts";
import type { NamedTable } from "./cite.ts";
import type { TableFile } from "./file-rows.ts";
import { loadTables } from "./load-tables.ts";
import { namedTables } from "./opened-tables.ts";
import { queryTables, type TableAnswer } from "./query-tables.ts";
import { tableDatabase, type DurableTables, type ProcessTables } from "./table-database.ts";
import { profileOf, type TableProfile } from "./table-profile.ts";
import { withTableNames } from "./table-names.ts";

/** Tables of files in one SQLite. */
export interface OpenTables {
  /**
   * Loads a file, and returns the names of its tables. A file with the same content is loaded once. Throws `tool_failed`
   * for a file that cannot be read.
   */
  add(file: TableFile, options?: { readonly maxRows?: number }): Promise<readonly string[]>;
  /** Runs one SELECT over the tables of all added files, or of some. Throws `tool_failed`. */
  query(sql: string, files?: readonly string[]): TableAnswer;
  /** Describes the tables of all added files, or of some: columns, types, values. */
  describe(files?: readonly string[]): readonly TableProfile[];
}

/** Opens tables in the storage of a Durable Object, or in a `DatabaseSync` of `node:sqlite`. */
export function openTables(storage: DurableTables | ProcessTables): OpenTables {
  const database = tableDatabase(storage);
  const added = new Map<string, Parameters<typeof namedTables>[0][number]>();
  const tablesOf = (files: readonly string[] = [...added.keys()]): readonly NamedTable[] =>
    namedTables(files.map((name) => added.get(name) ?? unknown(name, [...added.keys()])));
  return {
    add: async (file, options) => {
      added.set(file.name, {
        file: file.name,
        records: await loadTables(database, file, options),
      });
      return tablesOf([file.name]).map(({ name }) => name);
    },
    query: (sql, files) => {
      const tables = tablesOf(files);
      return withTableNames(tables, () => queryTables(database, tables, sql));
    },
    describe: (files) => tablesOf(files).map((table) => profileOf(database, table)),
  };
}

function unknown(name: string, names: readonly string[]): never {
  throw new EngineError(
    "not_found",
    `the file ${JSON.stringify(name)} was not added; there are ${names.join(", ")}`,
  );
}
