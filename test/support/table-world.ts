// Tables of files in SQLite of this process.
import { DatabaseSync } from "node:sqlite";
import { openTables, type OpenTables } from "../../src/entry/tables.ts";
import {
  tableDatabase,
  type TableDatabase,
} from "../../src/tools/catalog/tables/table-database.ts";

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Tables of these files, by their names and texts. */
export async function tablesWith(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<OpenTables & { readonly sqlite: DatabaseSync }> {
  const sqlite = new DatabaseSync(":memory:");
  const tables = openTables(sqlite);
  for (const [name, content] of Object.entries(files))
    await tables.add({ name, bytes: typeof content === "string" ? bytesOf(content) : content });
  return Object.assign(tables, { sqlite });
}

/** A database that fails after a number of transactions, as a process that dies does. */
export function dyingDatabase(sqlite: DatabaseSync, transactions: number): TableDatabase {
  const database = tableDatabase(sqlite);
  let left = transactions;
  return {
    ...database,
    transaction: (change) => {
      if (left-- <= 0) throw new Error("died");
      database.transaction(change);
    },
  };
}
