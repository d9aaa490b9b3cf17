// Tables of files that a call names.
import { EngineError, errorMessage } from "../../../base/error.ts";
import { isFileId } from "../../../files/file-id.ts";
import { fileNames, namedFile } from "../../../files/named-files.ts";
import { readBytes } from "../../../files/read-bytes.ts";
import { isServiceFailure, serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { readWorkspaceFile } from "../files/workspace-file.ts";
import type { NamedTable } from "./cite.ts";
import type { TableFile } from "./file-rows.ts";
import { loadTables } from "./load-tables.ts";
import { fileStem, SqlNames } from "./sql-names.ts";
import { processTables, tableDatabase, type TableDatabase } from "./table-database.ts";
import type { TableRecord } from "./table-record.ts";

const MAX_FILE_BYTES = 50 << 20;

export type OpenedTables = {
  readonly database: TableDatabase;
  readonly tables: readonly NamedTable[];
};

/** Options of the tools for tables. */
export type TableOptions = { readonly maxRows?: number | undefined };

const opened = new WeakMap<object, TableDatabase>();

/** Loads the files of a call. Throws failures for the model. */
export async function openTablesOf(
  io: ToolIo,
  files: readonly string[],
  { maxRows }: TableOptions,
): Promise<OpenedTables> {
  const database = databaseOf(io);
  const loaded: Array<{ readonly file: string; readonly records: readonly TableRecord[] }> = [];
  for (const name of new Set(files)) {
    const file = await fileOf(io, name);
    if (file.bytes.length > MAX_FILE_BYTES)
      throw serviceFailure({
        code: "too_large",
        message: `${file.name} has ${file.bytes.length} bytes, and at most ${MAX_FILE_BYTES} are read.`,
      });
    const limits = { maxRows, signal: io.context.signal };
    loaded.push({ file: file.name, records: await loadTables(database, file, limits) });
  }
  return { database, tables: namedTables(loaded) };
}

/**
 * Names the tables of files: a file with one sheet by the file, `sales`, and others by file and sheet, `sales_q1`. The
 * names depend on the files of the call alone.
 */
export function namedTables(
  files: ReadonlyArray<{ readonly file: string; readonly records: readonly TableRecord[] }>,
): readonly NamedTable[] {
  const names = new SqlNames();
  return files.flatMap(({ file, records }) =>
    records.map((record) => {
      const { sheet } = record;
      const stem = fileStem(file);
      const text = sheet === undefined || records.length === 1 ? stem : `${stem} ${sheet}`;
      return { name: names.take(text, `table_${record.index + 1}`), file, record };
    }),
  );
}

function databaseOf({ services, scope }: ToolIo): TableDatabase {
  const { tableStorage } = services;
  if (tableStorage === undefined) {
    const own = processTables(scope.drive);
    if (own !== undefined) return own;
    throw new EngineError(
      "invalid_definition",
      "tables need SQLite: pass `new DatabaseSync(path)` of node:sqlite as services.tableStorage",
    );
  }
  const known = opened.get(tableStorage) ?? tableDatabase(tableStorage);
  opened.set(tableStorage, known);
  return known;
}

/** Returns a file of the run by its name, a path in the workspace, or a stored file by its id. */
async function fileOf(io: ToolIo, name: string): Promise<TableFile> {
  const { scope } = io;
  const known = namedFile(scope, name);
  if (known !== undefined && !isFileId(name)) {
    const { bytes } = await readBytes(scope, known.at, io.context.signal);
    return { name: known.name, bytes };
  }
  try {
    const { name: own, bytes } = await readWorkspaceFile(io, name);
    return { name: own, bytes };
  } catch (error) {
    if (!isServiceFailure(error) || error.failureCode !== "not_found") throw error;
    const file = await tenantFile(io, name);
    if (file !== undefined) return file;
    const names = fileNames(scope);
    const list = names.length === 0 ? "" : ` The files of this run are: ${names.join(", ")}.`;
    throw serviceFailure({ code: "not_found", message: `${errorMessage(error)}${list}` });
  }
}

/** Files beside workspaces, such as the library of a tenant, are known by their paths alone. */
async function tenantFile(io: ToolIo, path: string): Promise<TableFile | undefined> {
  if (/^(?:runs|workspaces)\//.test(path) || path.includes("..")) return undefined;
  const file = await io.services.files?.get(path);
  return file === undefined ? undefined : { name: path, bytes: file.content };
}
