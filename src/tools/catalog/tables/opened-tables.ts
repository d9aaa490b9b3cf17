// Tables of files that a call names.
import { EngineError, errorMessage } from "../../../base/error.ts";
import type { RunFile } from "../../../files/file-ref.ts";
import { isFileId } from "../../../files/file-id.ts";
import { fileNames, namedFile } from "../../../files/named-files.ts";
import { readBytes } from "../../../files/read-bytes.ts";
import { isServiceFailure, serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { inWorkspace, readWorkspaceFile } from "../files/workspace-file.ts";
import type { NamedTable } from "./cite.ts";
import type { TableSource } from "./file-rows.ts";
import { loadSource } from "./load-tables.ts";
import { fileStem, SqlNames } from "./sql-names.ts";
import { processTables, tableDatabase, type TableDatabase } from "./table-database.ts";
import type { TableRecord } from "./table-record.ts";

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
    const limits = { maxRows, signal: io.context.signal };
    loaded.push({ file: file.name, records: await loadSource(database, file, limits) });
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
async function fileOf(io: ToolIo, name: string): Promise<TableSource> {
  const { scope } = io;
  const known = namedFile(scope, name);
  if (known !== undefined && !isFileId(name)) return runFile(io, known);
  if (isFileId(name)) {
    const ref = (await io.services.storedFiles?.get(name))?.ref;
    if (ref !== undefined)
      return {
        name: ref.name,
        sha256: ref.sha256,
        bytes: async () => (await readWorkspaceFile(io, name)).bytes,
      };
  }
  try {
    const sha256 = await recordedDigest(io, name);
    if (sha256 !== undefined)
      return { name, sha256, bytes: async () => (await readWorkspaceFile(io, name)).bytes };
    const { name: own, bytes } = await readWorkspaceFile(io, name);
    return { name: own, bytes: async () => bytes };
  } catch (error) {
    if (!isServiceFailure(error) || error.failureCode !== "not_found") throw error;
    const file = await tenantFile(io, name);
    if (file !== undefined) return file;
    const names = fileNames(scope);
    const list = names.length === 0 ? "" : ` The files of this run are: ${names.join(", ")}.`;
    throw serviceFailure({ code: "not_found", message: `${errorMessage(error)}${list}` });
  }
}

async function runFile(io: ToolIo, { name, at }: RunFile): Promise<TableSource> {
  const bytes = async (): Promise<Uint8Array> =>
    (await readBytes(io.scope, at, io.context.signal)).bytes;
  const sha256 =
    "id" in at
      ? (await io.scope.services.storedFiles?.get(at.id))?.ref.sha256
      : "workspace" in at
        ? await recordedDigest(io, at.workspace)
        : undefined;
  return { name, sha256, bytes };
}

/** Returns the present digest of a file of a workspace. Undefined where it is not on record, but made from the bytes. */
async function recordedDigest(
  { files, services }: ToolIo,
  path: string,
): Promise<string | undefined> {
  if (services.workspaces === undefined) return undefined;
  return (await inWorkspace(() => files.stat(path)))?.sha256;
}

/** Files beside workspaces, such as the library of a tenant, are known by their paths alone. */
async function tenantFile(io: ToolIo, path: string): Promise<TableSource | undefined> {
  if (/^(?:runs|workspaces)\//.test(path) || path.includes("..")) return undefined;
  const file = await io.services.files?.get(path);
  return file === undefined ? undefined : { name: path, bytes: async () => file.content };
}
