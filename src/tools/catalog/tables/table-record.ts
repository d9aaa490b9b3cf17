import type { TableDatabase } from "./table-database.ts";

export type ColumnType = "number" | "text" | "date" | "time" | "duration" | "boolean";

/** A column of a loaded table. */
export type Column = {
  /** Name in SQL. */
  readonly name: string;
  /** Name in the file, on one line. */
  readonly header: string;
  /** Column in the file, from 1. */
  readonly place: number;
  readonly type: ColumnType;
  /** Notation of its values in the file: `percent`, `€`, `decimal comma`, `day first`. */
  readonly notation?: string;
  /** Number of values that are of another type. They are texts in a column beside it. */
  readonly others: number;
  /** Index of the column whose other values it has. */
  readonly textsOf?: number;
};

/** Unit of a place in the file: cells of a sheet, lines, or rows without letters. */
export type PlaceKind = "cells" | "lines" | "rows";

/** Facts about a loaded table. */
export type TableFacts = {
  readonly sheet?: string;
  readonly kind: PlaceKind;
  /** Last row of the header, 0 without one. */
  readonly headerRow: number;
  readonly columns: readonly Column[];
  /** Names of columns beyond the limit. */
  readonly leftOut: readonly string[];
  /** Rows that look like sums of others, up to 20. */
  readonly totals: readonly number[];
  /** Number of cells with the value of a merged cell. */
  readonly merged: number;
  /** Number of cells with an error, such as `#N/A`; they are NULL. */
  readonly errors: number;
};

export type TableRecord = TableFacts & {
  readonly id: number;
  /** Position of the sheet in its file, from 0. */
  readonly index: number;
  /** Number of stored rows. */
  readonly rows: number;
  /** First and last stored row, as in the file; 0 without rows. */
  readonly firstRow: number;
  readonly lastRow: number;
  readonly isComplete: boolean;
};

/** Version of the reading of files. Tables of another version are loaded again. */
const VERSION = 1;

/** Name of the table with a table's rows. */
export function rowsTable(id: number): string {
  return `edgecrew_rows_${id}`;
}

/** Name of the column with the values of `columns[index]`. */
export function rowsColumn(index: number): string {
  return `c${index + 1}`;
}

export function createRegistry(database: TableDatabase): void {
  database.run(
    `CREATE TABLE IF NOT EXISTS edgecrew_tables (id INTEGER PRIMARY KEY, file TEXT NOT NULL, position INTEGER NOT NULL,
      rows INTEGER NOT NULL, first_row INTEGER NOT NULL, last_row INTEGER NOT NULL, complete INTEGER NOT NULL, facts TEXT NOT NULL,
      UNIQUE (file, position))`,
  );
  database.run(
    `CREATE TABLE IF NOT EXISTS edgecrew_table_files (file TEXT PRIMARY KEY, tables INTEGER NOT NULL) WITHOUT ROWID`,
  );
  database.run(
    `CREATE TABLE IF NOT EXISTS edgecrew_table_sources (source TEXT PRIMARY KEY, file TEXT NOT NULL) WITHOUT ROWID`,
  );
}

/** Key of a file's content and ending, from which its key follows. */
function sourceKey(digest: string, ending: string): string {
  return `${VERSION}:${digest}:${ending}`;
}

/** Key of a file's content in the registry. */
export function fileKey(digest: string, reader: string): string {
  return `${VERSION}:${reader}:${digest}`;
}

/** Returns the tables of a completely loaded file; undefined for any other file. */
export function loadedTables(
  database: TableDatabase,
  file: string,
): readonly TableRecord[] | undefined {
  const [known] = database.run(`SELECT tables FROM edgecrew_table_files WHERE file = ?`, file);
  return known === undefined ? undefined : tablesOf(database, file);
}

/** Returns the tables of a completely loaded file by its digest and ending; undefined for any other file. */
export function sourceTables(
  database: TableDatabase,
  digest: string,
  ending: string,
): readonly TableRecord[] | undefined {
  const [known] = database.run(
    `SELECT file FROM edgecrew_table_sources WHERE source = ?`,
    sourceKey(digest, ending),
  );
  return known === undefined ? undefined : loadedTables(database, String(known[0]));
}

/** Records the key of a file's digest and ending. */
export function addSource(
  database: TableDatabase,
  file: string,
  { digest, ending }: { readonly digest: string; readonly ending: string },
): void {
  database.run(
    `INSERT OR IGNORE INTO edgecrew_table_sources (source, file) VALUES (?, ?)`,
    sourceKey(digest, ending),
    file,
  );
}

/** Returns the tables of a file, also incomplete ones. */
export function tablesOf(database: TableDatabase, file: string): readonly TableRecord[] {
  return database
    .run(
      `SELECT id, position, rows, first_row, last_row, complete, facts FROM edgecrew_tables WHERE file = ? ORDER BY position`,
      file,
    )
    .map(([id, index, rows, firstRow, lastRow, complete, facts]) => ({
      ...(JSON.parse(String(facts)) as TableFacts),
      id: Number(id),
      index: Number(index),
      rows: Number(rows),
      firstRow: Number(firstRow),
      lastRow: Number(lastRow),
      isComplete: complete === 1,
    }));
}

/** Adds an empty table. */
export function addTable(
  database: TableDatabase,
  file: string,
  { index, facts }: { readonly index: number; readonly facts: TableFacts },
): TableRecord {
  let id = 0;
  database.transaction(() => {
    const [added] = database.run(
      `INSERT INTO edgecrew_tables (file, position, rows, first_row, last_row, complete, facts) VALUES (?, ?, 0, 0, 0, 0, ?)
        RETURNING id`,
      file,
      index,
      JSON.stringify(facts),
    );
    id = Number(added?.[0]);
    const columns = facts.columns.map(({ type }, at) => columnOf(at, type));
    database.run(`CREATE TABLE ${rowsTable(id)} (${columns.join(", ")})`);
  });
  return { ...facts, id, index, rows: 0, firstRow: 0, lastRow: 0, isComplete: false };
}

/** Declares a column. Numbers are real, so a division of whole numbers has its decimals, as in a spreadsheet. */
export function columnOf(index: number, type: ColumnType): string {
  const declared = type === "number" || type === "duration" ? " REAL" : "";
  return `${rowsColumn(index)}${declared}`;
}

/** Stores the facts of a table with its number of rows. */
export function updateTable(database: TableDatabase, record: TableRecord): void {
  const { id, index: _, rows, firstRow, lastRow, isComplete, ...facts } = record;
  database.run(
    `UPDATE edgecrew_tables SET rows = ?, first_row = ?, last_row = ?, complete = ?, facts = ? WHERE id = ?`,
    rows,
    firstRow,
    lastRow,
    isComplete ? 1 : 0,
    JSON.stringify(facts),
    id,
  );
}

export function completeFile(database: TableDatabase, file: string, tables: number): void {
  database.run(`INSERT INTO edgecrew_table_files (file, tables) VALUES (?, ?)`, file, tables);
}
