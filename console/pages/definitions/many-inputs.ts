// Inputs of many runs, pasted as CSV with a header, as JSON lines, or as a JSON array.
import type { Json, JsonSchema } from "../../api-types.ts";
import { isObject, propertiesOf } from "../../parts/form-fields.ts";

export type ManyInputs = {
  readonly items: readonly JsonSchema[];
  /** Unreadable lines, counted from 1. */
  readonly faults: readonly { readonly line: number; readonly message: string }[];
};

/** Maximum number of runs in one batch. */
export const MOST_ITEMS = 1000;

export function readManyInputs(text: string, schema: JsonSchema): ManyInputs {
  const begin = text.trimStart()[0];
  const read =
    begin === "[" ? readArray(text) : begin === "{" ? readLines(text) : readCsv(text, schema);
  if (read.items.length <= MOST_ITEMS) return read;
  const message = `At most ${MOST_ITEMS} runs in one batch, these are ${read.items.length}`;
  return { items: read.items, faults: [...read.faults, { line: 1, message }] };
}

function readArray(text: string): ManyInputs {
  try {
    const value = JSON.parse(text) as readonly Json[];
    const wrong = value.findIndex((item) => !isObject(item));
    if (wrong === -1) return { items: value as readonly JsonSchema[], faults: [] };
    return { items: [], faults: [{ line: 1, message: `Entry ${wrong + 1} is no object` }] };
  } catch (error) {
    return { items: [], faults: [{ line: 1, message: (error as Error).message }] };
  }
}

function readLines(text: string): ManyInputs {
  const items: JsonSchema[] = [];
  const faults: { line: number; message: string }[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      const value = JSON.parse(line) as Json;
      if (isObject(value)) items.push(value);
      else faults.push({ line: index + 1, message: "This is no object" });
    } catch (error) {
      faults.push({ line: index + 1, message: (error as Error).message });
    }
  }
  return { items, faults };
}

type CsvRow = { readonly line: number; readonly cells: readonly string[] };

function readCsv(text: string, schema: JsonSchema): ManyInputs {
  const [header, ...rows] = csvRows(text);
  if (header === undefined) return { items: [], faults: [] };
  const names = header.cells.map((cell) => cell.trim());
  const types = new Map(propertiesOf(schema).map(([name, each]) => [name, each["type"]]));
  const faults: { line: number; message: string }[] = [];
  const items = rows.map(({ line, cells }) => {
    if (cells.length !== names.length)
      faults.push({ line, message: `${names.length} cells expected, these are ${cells.length}` });
    const entries = names.flatMap((name, index): [string, Json][] => {
      const value = cellValue(cells[index] ?? "", types.get(name));
      return value === undefined ? [] : [[name, value]];
    });
    return Object.fromEntries(entries);
  });
  return { items, faults };
}

/**
 * Converts a cell to the type in the schema. An empty one is no value. An unsuitable one stays text, and the server
 * names it in its refusal.
 */
function cellValue(cell: string, type: Json | undefined): Json | undefined {
  if (cell === "") return undefined;
  if (type === undefined || type === "string") return cell;
  try {
    return JSON.parse(cell) as Json;
  } catch {
    return cell;
  }
}

/** RFC 4180: cells in quotes may hold commas, line ends, and quotes written twice. */
function csvRows(text: string): readonly CsvRow[] {
  const rows: { line: number; cells: string[] }[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
  let line = 1;
  let row: { line: number; cells: string[] } = { line, cells: [] };
  while (cell.lastIndex < text.length || row.cells.length > 0) {
    const found = cell.exec(text);
    if (found === null) break;
    row.cells.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? "");
    line += found[0].split("\n").length - 1;
    if (found[3] === ",") continue;
    if (row.cells.some((each) => each !== "")) rows.push(row);
    row = { line, cells: [] };
  }
  return rows;
}
