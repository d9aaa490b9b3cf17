// Rows of a file: XLSX, CSV and TSV, JSON Lines and JSON, Parquet.
import { EngineError, errorMessage, unreachable } from "../../../base/error.ts";
import { loadPart } from "../../../base/load-part.ts";
import { decodeText } from "../../../knowledge/readers/decode-text.ts";
import type { SheetRow } from "../../../knowledge/readers/sheet-rows.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { jsonArrayRows, jsonLineRows } from "./json-rows.ts";
import type { RowBatch } from "./row-batch.ts";

/** A file with tables. Its name is the base of their names in SQL. */
export type TableFile = {
  readonly name: string;
  readonly bytes: Uint8Array;
};

/** A file of a run. Its bytes are read if its tables are not loaded yet. */
export type TableSource = {
  readonly name: string;
  /** SHA-256 of the bytes in hexadecimal, as its place has it on record. @default the bytes are read */
  readonly sha256?: string | undefined;
  readonly bytes: () => Promise<Uint8Array>;
};

export type FileFormat = "xlsx" | "csv" | "jsonl" | "json" | "parquet";

/** Maximum length of a cell's text, in characters. */
const LIMITS = { maxCharacters: 1_000_000 };

/** Returns the format of a file by its content, then by its name. */
export function formatOf({ name, bytes }: TableFile): FileFormat {
  const [a, b, c, d] = bytes;
  if (a === 0x50 && b === 0x4b && c === 3 && d === 4) return "xlsx";
  if (a === 0x50 && b === 0x41 && c === 0x52 && d === 0x31) return "parquet";
  const ending = endingOf(name);
  if (/^(?:jsonl|ndjson)$/.test(ending)) return "jsonl";
  if (/^(?:csv|tsv|tab|txt|psv)$/.test(ending)) return "csv";
  const start = new TextDecoder().decode(bytes.subarray(0, 256)).trimStart();
  if (start.startsWith("{") && ending !== "json") return "jsonl";
  if (ending === "json" || /^\[\s*[{[]/.test(start)) return "json";
  return "csv";
}

/** Returns the ending of a name in lower case, without its dot. With the content, it determines the format. */
export function endingOf(name: string): string {
  return /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
}

/** Yields the rows of a file. Throws failures with the file's name for files that cannot be read. */
export async function* fileRows(file: TableFile, format: FileFormat): AsyncGenerator<RowBatch> {
  try {
    yield* rowsIn(file, format);
  } catch (error) {
    if (!EngineError.is(error) || error.failureCode !== undefined) throw error;
    const code = error.code === "limit_exceeded" ? "too_large" : "bad_request";
    throw serviceFailure({ code, message: `${file.name}: ${errorMessage(error)}` });
  }
}

function rowsIn({ bytes }: TableFile, format: FileFormat): AsyncGenerator<RowBatch> {
  switch (format) {
    case "xlsx":
      return xlsx(bytes);
    case "csv":
      return csv(bytes);
    case "jsonl":
      return jsonLineRows(decodeText(bytes));
    case "json":
      return jsonArrayRows(decodeText(bytes));
    case "parquet":
      return parquet(bytes);
    default:
      return unreachable(format);
  }
}

async function* xlsx(bytes: Uint8Array): AsyncGenerator<RowBatch> {
  const { xlsxRows } = await loadPart(() => import("../../../knowledge/readers/xlsx-rows.ts"));
  yield* bySheet(xlsxRows(bytes, { limits: LIMITS }));
}

async function* csv(bytes: Uint8Array): AsyncGenerator<RowBatch> {
  const { csvRows } = await loadPart(() => import("../../../knowledge/readers/csv-rows.ts"));
  yield* bySheet(csvRows(bytes, { limits: LIMITS }));
}

async function* parquet(bytes: Uint8Array): AsyncGenerator<RowBatch> {
  const { parquetRows } = await loadPart(() => import("./parquet-rows.ts"));
  yield* parquetRows(bytes);
}

/** Splits batches at the ends of sheets. */
async function* bySheet(batches: AsyncIterable<readonly SheetRow[]>): AsyncGenerator<RowBatch> {
  for await (const batch of batches)
    for (let start = 0; start < batch.length;) {
      const sheet = batch[start]?.sheet;
      let end = start;
      while (end < batch.length && batch[end]?.sheet === sheet) end++;
      const rows = start === 0 && end === batch.length ? batch : batch.slice(start, end);
      yield { ...(sheet === undefined ? undefined : { sheet }), kind: "cells", rows };
      start = end;
    }
}
