// Loads the rows of a file into SQLite.
//
//   TBL1. A batch of rows and the number of the last one are stored together. A load that was cut off continues behind
//         its last stored row, and no row is stored twice.
//   TBL2. A file is read once for its content; a copy of it under another name finds its tables.
//   TBL5. The bytes of a loaded file are not read again where its digest is on record. A replaced file has another one.
//   TBL3. Equal loads at the same time are one.
//   TBL4. A table has at most `maxRows` rows, and a file 100 sheets. A larger file fails with `too_large`, and its tables answer
//         no question: no answer comes from a part of the rows.
import { cellName, type Cell, type SheetRow } from "../../../knowledge/readers/sheet-rows.ts";
import { digestHex } from "../../../base/bytes.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { valueIn } from "./column-type.ts";
import { endingOf, fileRows, formatOf, type TableFile, type TableSource } from "./file-rows.ts";
import type { RowBatch } from "./row-batch.ts";
import type { TableDatabase, TableValue } from "./table-database.ts";
import { laterColumn, layoutOf, MAX_COLUMNS, textsBeside } from "./table-layout.ts";
import {
  addSource,
  addTable,
  columnOf,
  rowsColumn,
  completeFile,
  createRegistry,
  fileKey,
  loadedTables,
  rowsTable,
  sourceTables,
  tablesOf,
  updateTable,
  type Column,
  type TableRecord,
} from "./table-record.ts";

export type LoadLimits = {
  /** Maximum number of rows of a table. @default 250_000 */
  readonly maxRows?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

export const DEFAULT_MAX_ROWS = 250_000;
const MAX_SHEETS = 100;
/** Number of rows before a layout is decided. */
const SAMPLE_ROWS = 2_000;
const SAMPLE_CELLS = 40_000;
const MAX_TOTALS = 20;
/** Maximum number of values bound to a statement. */
const MAX_VALUES = 100;
const TOTAL = /^\s*(?:grand\s+|sub-?\s*)?(?:totals?|sum|summe|gesamt|insgesamt)\b(?!\s*\w{3,})/i;

const loading = new WeakMap<TableDatabase, Map<string, Promise<readonly TableRecord[]>>>();

/** Returns the tables of a file, loaded on first use. */
export async function loadTables(
  database: TableDatabase,
  file: TableFile,
  limits: LoadLimits = {},
): Promise<readonly TableRecord[]> {
  createRegistry(database);
  const format = formatOf(file);
  const digest = await digestHex(file.bytes);
  const key = fileKey(digest, format);
  const loads = loading.get(database) ?? new Map<string, Promise<readonly TableRecord[]>>();
  loading.set(database, loads);
  const known =
    loads.get(key) ??
    (async () =>
      loadedTables(database, key) ??
      (await new FileLoad(database, key, limits).load(fileRows(file, format), file.name)))();
  loads.set(key, known);
  try {
    const tables = await known;
    addSource(database, key, { digest, ending: endingOf(file.name) });
    return tables;
  } finally {
    loads.delete(key);
  }
}

const MAX_FILE_BYTES = 50 << 20;

/** Returns the tables of a source. Reads its bytes if its digest is unknown or its tables are not loaded (TBL5). */
export async function loadSource(
  database: TableDatabase,
  { name, sha256, bytes: read }: TableSource,
  limits: LoadLimits = {},
): Promise<readonly TableRecord[]> {
  if (sha256 !== undefined) {
    createRegistry(database);
    const known = sourceTables(database, sha256, endingOf(name));
    if (known !== undefined) return known;
  }
  const bytes = await read();
  if (bytes.length > MAX_FILE_BYTES)
    throw serviceFailure({
      code: "too_large",
      message: `${name} has ${bytes.length} bytes, and at most ${MAX_FILE_BYTES} are read.`,
    });
  return loadTables(database, { name, bytes }, limits);
}

class FileLoad {
  readonly #database: TableDatabase;
  readonly #key: string;
  readonly #limits: LoadLimits;
  /** Tables of an earlier load that was cut off. */
  readonly #before: readonly TableRecord[];
  #index = -1;
  #current: TableLoad | undefined;

  constructor(database: TableDatabase, key: string, limits: LoadLimits) {
    this.#database = database;
    this.#key = key;
    this.#limits = limits;
    this.#before = tablesOf(database, key);
  }

  async load(batches: AsyncIterable<RowBatch>, name: string): Promise<readonly TableRecord[]> {
    let sheet: string | undefined;
    for await (const batch of batches) {
      this.#limits.signal?.throwIfAborted();
      if (this.#current === undefined || batch.sheet !== sheet) {
        this.#current?.end();
        sheet = batch.sheet;
        if (++this.#index >= MAX_SHEETS)
          throw serviceFailure({
            code: "too_large",
            message: `${name} has more than ${MAX_SHEETS} sheets.`,
          });
        this.#current = new TableLoad({
          database: this.#database,
          key: this.#key,
          index: this.#index,
          name,
          before: this.#before.find(({ index }) => index === this.#index),
          maxRows: this.#limits.maxRows ?? DEFAULT_MAX_ROWS,
        });
      }
      this.#current.add(batch);
    }
    this.#current?.end();
    const tables = tablesOf(this.#database, this.#key);
    if (tables.length === 0)
      throw serviceFailure({ code: "bad_request", message: `${name} has no rows.` });
    completeFile(this.#database, this.#key, tables.length);
    return tables;
  }
}

type Place = {
  readonly database: TableDatabase;
  readonly key: string;
  readonly index: number;
  readonly name: string;
  readonly before: TableRecord | undefined;
  readonly maxRows: number;
};

/** Load of one table. */
class TableLoad {
  readonly #place: Place;
  #record: TableRecord | undefined;
  #sample: SheetRow[] = [];
  #sampleCells = 0;
  #about: RowBatch | undefined;
  #lastRead = 0;

  constructor(place: Place) {
    this.#place = place;
    this.#record = place.before;
  }

  add(batch: RowBatch): void {
    this.#about = batch;
    for (const { row } of batch.rows) {
      if (row <= this.#lastRead)
        throw serviceFailure({
          code: "bad_request",
          message: `${this.#place.name} has row ${row} after row ${this.#lastRead}: save it again with a spreadsheet program.`,
        });
      this.#lastRead = row;
    }
    if (this.#record !== undefined) return this.#store(batch.rows);
    for (const row of batch.rows) {
      this.#sample.push(row);
      this.#sampleCells += row.cells.length;
    }
    if (this.#sample.length >= SAMPLE_ROWS || this.#sampleCells >= SAMPLE_CELLS) this.#begin();
  }

  end(): void {
    if (this.#record === undefined) this.#begin();
    if (this.#record === undefined || this.#record.isComplete) return;
    this.#record = { ...this.#record, isComplete: true };
    updateTable(this.#place.database, this.#record);
  }

  #begin(): void {
    if (this.#about === undefined) return;
    const rows = this.#sample.splice(0);
    const { database, key, index } = this.#place;
    const facts = layoutOf(rows, this.#about);
    this.#record = addTable(database, key, { index, facts });
    for (let start = 0; start < rows.length; start += 500)
      this.#store(rows.slice(start, start + 500));
  }

  #store(rows: readonly SheetRow[]): void {
    const record = this.#record;
    if (record === undefined || record.isComplete) return;
    const after = Math.max(record.lastRow, record.headerRow);
    const added = rows.filter(({ row, cells }) => row > after && cells.length > 0);
    const [first] = added;
    const last = added.at(-1);
    if (first === undefined || last === undefined) return;
    if (record.rows + added.length > this.#place.maxRows)
      throw serviceFailure({
        code: "too_large",
        message: `${this.#place.name} has more than ${this.#place.maxRows} rows in a table.`,
      });
    const { database } = this.#place;
    database.transaction(() => {
      const batch = valuesOf(this.#widened(record, added), added);
      const stored = this.#withTexts(batch);
      insertRows(database, stored);
      const next: TableRecord = {
        ...stored.record,
        rows: record.rows + added.length,
        firstRow: record.firstRow || first.row,
        lastRow: last.row,
      };
      updateTable(database, next);
      this.#record = next;
    });
  }

  /** Adds a column of texts beside each column with values of another type, and moves these into it (TBC1). */
  #withTexts(batch: BatchValues): BatchValues {
    let { columns } = batch.record;
    let { leftOut } = batch.record;
    for (const { line, index, text } of batch.others) {
      const about = columns[index];
      if (about === undefined) continue;
      let beside = columns.findIndex(({ textsOf }) => textsOf === index);
      if (beside < 0) {
        const added = textsBeside(about, { index, columns });
        if (columns.length >= MAX_COLUMNS) {
          if (!leftOut.includes(added.header)) leftOut = [...leftOut, added.header];
          continue;
        }
        beside = columns.length;
        columns = [...columns, added];
        this.#addColumn(batch.record.id, beside, "text");
      }
      const values = batch.lines[line];
      if (values !== undefined) values[beside + 1] = text;
    }
    return { ...batch, record: { ...batch.record, columns, leftOut } };
  }

  #addColumn(id: number, index: number, type: Column["type"]): void {
    this.#place.database.run(`ALTER TABLE ${rowsTable(id)} ADD COLUMN ${columnOf(index, type)}`);
  }

  /** Adds columns that the first rows did not have. */
  #widened(record: TableRecord, rows: readonly SheetRow[]): TableRecord {
    const known = new Set(record.columns.map(({ place }) => place));
    const found = new Map<number, Cell[]>();
    for (const { cells } of rows)
      for (const cell of cells)
        if (!known.has(cell.column))
          found.set(cell.column, [...(found.get(cell.column) ?? []), cell]);
    let { columns, leftOut } = record;
    for (const [place, cells] of found) {
      const header = this.#about?.names?.get(place);
      const column = laterColumn(place, { header, cells, columns });
      if (columns.length >= MAX_COLUMNS) {
        if (!leftOut.includes(column.header) && leftOut.length < 1000)
          leftOut = [...leftOut, column.header];
        continue;
      }
      this.#addColumn(record.id, columns.length, column.type);
      columns = [...columns, column];
    }
    return { ...record, columns, leftOut };
  }
}

/** Inserts rows by statements with as many values as a Durable Object binds: doubles stay exact. */
function insertRows(database: TableDatabase, { record, lines }: BatchValues): void {
  const width = record.columns.length + 1;
  const names = ["rowid", ...record.columns.map((_, index) => rowsColumn(index))].join(", ");
  const place = `(${Array.from({ length: width }, () => "?").join(", ")})`;
  const atOnce = Math.max(1, Math.floor(MAX_VALUES / width));
  for (let start = 0; start < lines.length; start += atOnce) {
    const some = lines.slice(start, start + atOnce);
    const values: TableValue[] = [];
    for (const line of some) for (let at = 0; at < width; at++) values.push(line[at] ?? null);
    const places = some.map(() => place).join(", ");
    database.run(`INSERT INTO ${rowsTable(record.id)} (${names}) VALUES ${places}`, ...values);
  }
}

/** Values of several rows. */
type BatchValues = {
  /** The table with facts about these rows. */
  readonly record: TableRecord;
  /** The row in the file and the values of each row, by column. */
  readonly lines: ReadonlyArray<TableValue[]>;
  /** Values of another type than their column's. */
  readonly others: readonly OtherValue[];
};

type OtherValue = { readonly line: number; readonly index: number; readonly text: string };

function valuesOf(record: TableRecord, rows: readonly SheetRow[]): BatchValues {
  const { columns } = record;
  const places = new Map<number, number>();
  for (const [index, { place, textsOf }] of columns.entries())
    if (textsOf === undefined) places.set(place, index);
  const counts = columns.map(({ others }) => others);
  const others: OtherValue[] = [];
  const totals: number[] = [];
  let [merged, errors] = [0, 0];
  const lines = rows.map(({ row, cells }, line) => {
    const values = Array.from<TableValue>({ length: columns.length + 1 }).fill(null);
    values[0] = row;
    for (const cell of cells) {
      const index = places.get(cell.column);
      const column = index === undefined ? undefined : columns[index];
      if (index === undefined || column === undefined) continue;
      if (cell.merged !== undefined) merged++;
      if (cell.kind === "error") errors++;
      const { value, other } = valueIn(column, cell);
      values[index + 1] = value;
      if (other !== undefined) {
        others.push({ line, index, text: other });
        counts[index] = (counts[index] ?? 0) + 1;
      }
      if (cell.kind === "text" && totals.at(-1) !== row && TOTAL.test(cell.shown)) totals.push(row);
    }
    return values;
  });
  const counted = columns.map((column, index): Column => ({
    ...column,
    others: counts[index] ?? 0,
  }));
  return {
    record: {
      ...record,
      columns: counted,
      totals: [...record.totals, ...totals].slice(0, MAX_TOTALS),
      merged: record.merged + merged,
      errors: record.errors + errors,
    },
    lines,
    others,
  };
}

/** Place of a column in a file of cells: `C`. */
export function lettersOf(place: number): string {
  return cellName(place, 1).slice(0, -1);
}
