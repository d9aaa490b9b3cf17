// Records of JSON Lines, or of a JSON array. Fields of objects within a record are columns: `address.city`.
import { EngineError } from "../../../base/error.ts";
import { ReadingWork } from "../../../knowledge/readers/reading-work.ts";
import type { Cell, SheetRow } from "../../../knowledge/readers/sheet-rows.ts";
import type { RowBatch } from "./row-batch.ts";

const ROWS_PER_BATCH = 500;
const MAX_FIELDS = 16_384;
const MAX_DEPTH = 4;

export async function* jsonLineRows(text: string): AsyncGenerator<RowBatch> {
  const fields = new Fields();
  const work = new ReadingWork("JSON Lines");
  let rows: SheetRow[] = [];
  let line = 0;
  for (let at = 0; at < text.length;) {
    const found = text.indexOf("\n", at);
    const end = found === -1 ? text.length : found;
    const record = text.slice(at, end).trim();
    line++;
    at = end + 1;
    if (record === "") continue;
    work.spend(record.length + 50);
    rows.push({ row: line, cells: fields.cellsOf(parsed(record, line)) });
    if (rows.length === ROWS_PER_BATCH) {
      yield { kind: "lines", names: fields.names, rows };
      rows = [];
    }
    await work.pause();
  }
  if (rows.length > 0) yield { kind: "lines", names: fields.names, rows };
}

export async function* jsonArrayRows(text: string): AsyncGenerator<RowBatch> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new EngineError("invalid_input", "the file must be JSON: a list of objects");
  }
  const records = listIn(data);
  if (records === undefined)
    throw new EngineError(
      "invalid_input",
      "the JSON must be a list of objects, or an object with one such list",
    );
  const fields = new Fields();
  const work = new ReadingWork("JSON");
  for (let start = 0; start < records.length; start += ROWS_PER_BATCH) {
    const rows = records.slice(start, start + ROWS_PER_BATCH).map((record, at) => {
      work.spend(500);
      return { row: start + at + 1, cells: fields.cellsOf(record) };
    });
    yield { kind: "rows", names: fields.names, rows };
    await work.pause();
  }
}

function listIn(data: unknown): readonly unknown[] | undefined {
  if (Array.isArray(data)) return data;
  if (typeof data !== "object" || data === null) return undefined;
  const lists = Object.values(data).filter(
    (value): value is unknown[] => Array.isArray(value) && typeof value[0] === "object",
  );
  return lists.length === 1 ? lists[0] : undefined;
}

function parsed(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new EngineError("invalid_input", `line ${line} must be JSON, got ${text.slice(0, 60)}`);
  }
}

/** Columns of fields, in the order of their first use. */
export class Fields {
  readonly names = new Map<number, string>();
  readonly #places = new Map<string, number>();

  cellsOf(record: unknown): Cell[] {
    const cells: Cell[] = [];
    if (typeof record === "object" && record !== null && !Array.isArray(record))
      this.#addFields(cells, "", record);
    else if (Array.isArray(record))
      for (const [at, value] of record.entries()) this.#add(cells, `field ${at + 1}`, value);
    else this.#add(cells, "value", record);
    return cells.toSorted((a, b) => a.column - b.column);
  }

  #addFields(cells: Cell[], path: string, record: object): void {
    for (const [name, value] of Object.entries(record)) {
      const field = path === "" ? name : `${path}.${name}`;
      const isObject = typeof value === "object" && value !== null && isPlain(value as object);
      if (isObject && field.split(".").length < MAX_DEPTH)
        this.#addFields(cells, field, value as object);
      else this.#add(cells, field, value);
    }
  }

  #add(cells: Cell[], name: string, value: unknown): void {
    let column = this.#places.get(name);
    if (column === undefined) {
      column = this.#places.size + 1;
      if (column > MAX_FIELDS)
        throw new EngineError("limit_exceeded", `the records have more than ${MAX_FIELDS} fields`);
      this.#places.set(name, column);
      this.names.set(column, name);
    }
    const cell = cellOf(column, value);
    if (cell !== undefined) cells.push(cell);
  }
}

function isPlain(value: object): boolean {
  return !Array.isArray(value) && !(value instanceof Date) && !ArrayBuffer.isView(value);
}

function cellOf(column: number, value: unknown): Cell | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "number" && Number.isFinite(value)) {
    const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
    if (isExact) return { column, kind: "number", value, shown: String(value) };
    return { column, kind: "text", value: String(value), shown: String(value) };
  }
  if (typeof value === "number") return undefined;
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number)
      ? { column, kind: "number", value: number, shown: String(number) }
      : { column, kind: "text", value: String(value), shown: String(value) };
  }
  if (typeof value === "boolean")
    return { column, kind: "boolean", value, shown: value ? "true" : "false" };
  if (value instanceof Date) return dateCell(column, value);
  if (ArrayBuffer.isView(value)) {
    const shown = `<${value.byteLength} bytes>`;
    return { column, kind: "text", value: shown, shown };
  }
  const text = typeof value === "string" ? value : jsonOf(value);
  return text === "" ? undefined : { column, kind: "text", value: text, shown: text };
}

function dateCell(column: number, value: Date): Cell | undefined {
  if (Number.isNaN(value.getTime())) return undefined;
  const iso = value.toISOString();
  const short = iso.endsWith("T00:00:00.000Z") ? iso.slice(0, 10) : iso.replace(/(?:\.000)?Z$/, "");
  return { column, kind: "date", value: short, shown: short.replace("T", " ") };
}

function jsonOf(value: unknown): string {
  return (
    JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? String(each) : each)) ??
    ""
  );
}
