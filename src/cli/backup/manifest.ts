// Contents of a backup folder.
//
//   MNF1. The manifest is written last: a folder without one is an interrupted backup.
//   MNF2. The hash and the count of each file are checked before any of it is sent.
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isJsonObject } from "../../base/json.ts";
import { CliFailure, wrongUse } from "../cli-failure.ts";

export const BACKUP_FORMAT = "edgecrew.backup/1";
export const MANIFEST = "manifest.json";
export const PROGRESS = "progress.json";
/** The index of a backup's runs; the runs are files of their own. */
export const RUNS_FILE = "runs.ndjson";

/** A file of a backup. */
export type BackupFile = { readonly rows: number; readonly sha256: string };

export type Manifest = {
  readonly format: string;
  readonly tenant: string;
  /** Times of its begin and end. ISO 8601, UTC. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** Version of the package at the time of the backup. */
  readonly version: string;
  /** Columns of each table at the time of the backup. */
  readonly schema: Readonly<Record<string, readonly string[]>>;
  readonly tables: Readonly<Record<string, BackupFile>>;
  /** The file `runs.ndjson`: a line for each run. */
  readonly runs: BackupFile;
  /** True if runs were saved without the inputs and results of steps: they can be viewed, but not restored. */
  readonly withoutValues?: true;
};

/** A line of `runs.ndjson`. */
export type SavedRun = { readonly id: string; readonly createdAt: string; readonly sha256: string };

export function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function tableFile(table: string): string {
  return `${table}.ndjson`;
}

export function runFile(id: string): string {
  return join("runs", `${id}.json`);
}

/** Writes a file completely or not at all, readable only by its owner. Throws exit code 1. */
export function writeWhole(path: string, text: string): void {
  try {
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw new CliFailure(1, `${path} could not be written: ${(error as Error).message}`);
  }
}

/** The lines of a file, one after the other. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  if (!existsSync(path)) return;
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  for await (const line of lines) if (line !== "") yield line;
}

/** The hash and the number of lines of a file, read in pieces. */
export async function fileOf(path: string): Promise<BackupFile> {
  const hash = createHash("sha256");
  let rows = 0;
  if (existsSync(path))
    for await (const piece of createReadStream(path)) {
      const bytes = piece as Buffer;
      hash.update(bytes);
      for (const byte of bytes) if (byte === 10) rows++;
    }
  return { rows, sha256: hash.digest("hex") };
}

/** Throws exit code 2 for a folder that is no backup, is incomplete, or differs from its manifest. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST);
  if (!existsSync(path))
    throw existsSync(join(folder, PROGRESS))
      ? wrongUse(`the backup in ${folder} was cut off`, `edgecrew backup --out ${folder}`)
      : wrongUse(
          `${folder} has no backup: there is no ${MANIFEST}`,
          "edgecrew backup --out <folder>",
        );
  const manifest = manifestOf(path);
  for (const [table, file] of Object.entries(manifest.tables))
    await checkFile(folder, tableFile(table), file);
  await checkFile(folder, RUNS_FILE, manifest.runs);
  for await (const line of linesOf(join(folder, RUNS_FILE))) {
    const { id, sha256 } = JSON.parse(line) as SavedRun;
    checkHash(runFile(id), { expected: sha256, got: hashOfRun(folder, id) });
  }
  return manifest;
}

function manifestOf(path: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw wrongUse(`${path} is broken or cut off: ${(error as Error).message}`);
  }
  const format = isJsonObject(value) ? value["format"] : undefined;
  if (format === BACKUP_FORMAT) return value as Manifest;
  throw wrongUse(
    typeof format === "string" && format.startsWith("edgecrew.backup/")
      ? `${path} has the format ${format}; this version reads ${BACKUP_FORMAT}`
      : `${path} is no manifest of a backup`,
  );
}

async function checkFile(folder: string, name: string, expected: BackupFile): Promise<void> {
  const got = await fileOf(join(folder, name));
  checkHash(name, { expected: expected.sha256, got: got.sha256 });
  if (got.rows !== expected.rows)
    throw wrongUse(
      `${name} does not fit the manifest: expected ${expected.rows} rows, got ${got.rows}`,
    );
}

function hashOfRun(folder: string, id: string): string {
  const path = join(folder, runFile(id));
  return existsSync(path) ? sha256Of(readFileSync(path, "utf8")) : "no file";
}

function checkHash(
  name: string,
  { expected, got }: { readonly expected: string; readonly got: string },
): void {
  if (expected !== got)
    throw wrongUse(`${name} does not fit the manifest: expected SHA-256 ${expected}, got ${got}`);
}
