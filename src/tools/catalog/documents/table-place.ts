// Rows of a table, as texts.
import { digestHex } from "../../../base/bytes.ts";
import { preview, type JsonValue } from "../../../base/json.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { connectionOf } from "../sql/connection.ts";
import type { SqlDatabase, SqlLimits } from "../sql/database.ts";
import { inDatabase } from "../sql/run-statement.ts";
import { rowObjects } from "../sql/result-table.ts";
import { readStatement } from "../sql/sql-guard.ts";
import { tableList } from "../sql/table-list.ts";
import { chunkingOf, type DocumentPlace } from "./document-place.ts";

const MAX_AGE_MS = 300_000;
const MAX_ROWS = 1000;

/** Returns a table of a database, by its address. `field` names the address in errors. */
export async function tablePlace(
  io: ToolIo,
  table: string,
  { address, field }: { readonly address: string; readonly field: string },
): Promise<DocumentPlace> {
  const connection = connectionOf(address, field);
  const { services, scope } = io;
  const load = async (signal: AbortSignal) => {
    const text = await inDatabase({ signal, services, scope }, connection, (database, limits) =>
      rowsOf(database, table, limits),
    );
    return { bytes: new Uint8Array(new TextEncoder().encode(text)), type: "text" };
  };
  return {
    // A digest of the address, as the address may contain a password.
    key: JSON.stringify(["table", await digestHex(new TextEncoder().encode(address)), table]),
    label: `${connection.place}/${table}`,
    maxAgeMs: MAX_AGE_MS,
    documents: async () => [
      { name: `${connection.place}/${table}`, chunking: chunkingOf("text"), load },
    ],
  };
}

/** Returns a line for each row: `id: 7 | name: Teapot`. Throws the failure `not_found` for a missing table. */
async function rowsOf(database: SqlDatabase, table: string, limits: SqlLimits): Promise<string> {
  if ((await tableList(database, limits, [table])) === "")
    throw serviceFailure({ code: "not_found", message: `There is no table ${preview(table)}.` });
  const mark = database.dialect === "mysql" ? "`" : '"';
  const name = table
    .split(".")
    .map((part) => mark + part.replaceAll(mark, mark + mark) + mark)
    .join(".");
  const statement = readStatement(`SELECT * FROM ${name} LIMIT ${MAX_ROWS}`, database.dialect);
  const read = await database.read(statement, { ...limits, maxRows: MAX_ROWS });
  return rowObjects(read)
    .map((row) =>
      Object.entries(row)
        .map(([column, cell]) => `${column}: ${cellText(cell)}`)
        .join(" | "),
    )
    .join("\n");
}

function cellText(cell: JsonValue): string {
  if (cell === null) return "NULL";
  return (typeof cell === "string" ? cell : JSON.stringify(cell)).replaceAll(/\s+/g, " ");
}
