// Saves a backup as files.
//
//   - Page by page: at most one page or one run is in memory, for any amount of data.
//   SVB1. Progress is written after each page with the lengths of the files. The same command continues there, and
//         saves each item once.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isoTime } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import type { EdgecrewClient } from "../../client/index.ts";
import { CliFailure, wrongUse } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";
import { withoutValues } from "../redact-trace.ts";
import {
  BACKUP_FORMAT,
  fileOf,
  MANIFEST,
  PROGRESS,
  RUNS_FILE,
  runFile,
  sha256Of,
  tableFile,
  writeWhole,
  type BackupFile,
  type Manifest,
  type SavedRun,
} from "./manifest.ts";
import { patiently } from "./patiently.ts";
import { workerContents } from "./worker-contents.ts";

export type BackupPlan = {
  readonly client: EdgecrewClient;
  readonly folder: string;
  readonly tenant: string | undefined;
  /** Only runs begun since this time; undefined saves no runs. */
  readonly runsSinceMs: number | undefined;
  readonly values: boolean;
};

/** Progress of a file. */
type Done = { readonly bytes: number; readonly cursor?: string; readonly isWhole?: true };

type Progress = {
  readonly format: string;
  readonly tenant: string;
  readonly startedAt: string;
  readonly runsSinceMs: number | null;
  readonly values: boolean;
  readonly schema: Manifest["schema"];
  readonly files: Readonly<Record<string, Done>>;
};

/** Saves all data, or continues an interrupted backup. */
export async function saveBackup(
  context: Pick<CliContext, "clock" | "signal" | "out" | "version">,
  plan: BackupPlan,
): Promise<Manifest> {
  const { client, folder, tenant } = plan;
  const cut = { what: "the backup", again: `edgecrew backup --out ${folder}` };
  const once = <Result>(work: () => Promise<Result>): Promise<Result> =>
    patiently(context, cut, work);
  const contents = await workerContents(client, tenant);
  const saving = new Saving(folder, begun(context, plan, contents));
  const whose = { tenant: contents.tenant };
  for (const table of Object.keys(saving.progress.schema))
    await saving.fill(tableFile(table), async (cursor) => {
      const page = await once(() =>
        client.backup.rows(table, { ...whose, limit: 200, ...(cursor && { cursor }) }),
      );
      return { lines: page.items.map((row) => JSON.stringify(row)), next: page.nextCursor };
    });
  const { runsSinceMs, values } = saving.progress;
  await saving.fill(RUNS_FILE, async (cursor) => {
    if (runsSinceMs === null) return { lines: [], next: undefined };
    const page = await once(() =>
      client.backup.runs({ ...whose, limit: 20, ...(cursor && { cursor }) }),
    );
    const wanted = page.items.filter(({ createdAt }) => Date.parse(createdAt) >= runsSinceMs);
    const lines: string[] = [];
    for (const { id, createdAt } of wanted) {
      const text = await once(() => runText(client, { id, ...whose, values }));
      if (text === undefined) continue;
      writeWhole(join(folder, runFile(id)), text);
      lines.push(JSON.stringify({ id, createdAt, sha256: sha256Of(text) } satisfies SavedRun));
    }
    // Newest first: after a run that is too old, all others are older.
    return { lines, next: wanted.length < page.items.length ? undefined : page.nextCursor };
  });
  return finish(context, saving);
}

/** Undefined for a run deleted meanwhile. */
async function runText(
  client: EdgecrewClient,
  {
    id,
    tenant,
    values,
  }: { readonly id: string; readonly tenant: string; readonly values: boolean },
): Promise<string | undefined> {
  try {
    const exported = await client.backup.run(id, { tenant });
    const saved = values ? exported : { ...withoutValues(exported), redacted: true as const };
    return `${JSON.stringify(saved)}\n`;
  } catch (error) {
    if (EngineError.is(error) && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Files of an unfinished backup. */
class Saving {
  readonly folder: string;
  progress: Progress;

  constructor(folder: string, progress: Progress) {
    this.folder = folder;
    this.progress = progress;
  }

  /** Appends pages to a file until there are no more. */
  async fill(
    name: string,
    read: (
      cursor: string | undefined,
    ) => Promise<{ readonly lines: readonly string[]; readonly next: string | undefined }>,
  ): Promise<void> {
    const path = join(this.folder, name);
    let done = this.progress.files[name] ?? { bytes: 0 };
    if (done.isWhole === true) return;
    writing(path, () => {
      if (existsSync(path)) truncateSync(path, done.bytes);
      else writeFileSync(path, "", { mode: 0o600 });
    });
    for (;;) {
      const { lines, next } = await read(done.cursor);
      const text = lines.map((line) => `${line}\n`).join("");
      writing(path, () => appendFileSync(path, text));
      const bytes = done.bytes + Buffer.byteLength(text);
      done = next === undefined ? { bytes, isWhole: true } : { bytes, cursor: next };
      this.progress = { ...this.progress, files: { ...this.progress.files, [name]: done } };
      writeWhole(join(this.folder, PROGRESS), JSON.stringify(this.progress));
      if (next === undefined) return;
    }
  }
}

async function finish(
  { clock, version }: Pick<CliContext, "clock" | "version">,
  { folder, progress }: Saving,
): Promise<Manifest> {
  const { tenant, startedAt, schema, values } = progress;
  const tables: Record<string, BackupFile> = {};
  for (const table of Object.keys(schema))
    tables[table] = await fileOf(join(folder, tableFile(table)));
  const manifest: Manifest = {
    format: BACKUP_FORMAT,
    tenant,
    startedAt,
    endedAt: isoTime(clock.now()),
    version,
    schema,
    tables,
    runs: await fileOf(join(folder, RUNS_FILE)),
    ...(values ? undefined : { withoutValues: true }),
  };
  writeWhole(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  rmSync(join(folder, PROGRESS), { force: true });
  return manifest;
}

/** Returns the progress in the folder, or a new one. Throws exit code 2 if it belongs to another backup. */
function begun(
  { clock, out }: Pick<CliContext, "clock" | "out">,
  { folder, runsSinceMs, values }: BackupPlan,
  { tenant, tables, format }: Awaited<ReturnType<EdgecrewClient["backup"]["contents"]>>,
): Progress {
  if (format !== BACKUP_FORMAT)
    throw wrongUse(
      `the Worker makes backups of the format ${format}; this version knows ${BACKUP_FORMAT}`,
    );
  if (existsSync(join(folder, MANIFEST)))
    throw wrongUse(
      `${folder} has a whole backup already`,
      "edgecrew backup --out <another folder>",
    );
  const path = join(folder, PROGRESS);
  if (existsSync(path)) {
    const earlier = JSON.parse(readFileSync(path, "utf8")) as Progress;
    if (earlier.tenant !== tenant)
      throw wrongUse(
        `the backup in ${folder} is of the tenant ${earlier.tenant}, and this key is of ${tenant}`,
      );
    out.note(`goes on with the backup of ${earlier.startedAt}, with its options`);
    return earlier;
  }
  writing(folder, () => mkdirSync(join(folder, "runs"), { recursive: true, mode: 0o700 }));
  return {
    format: BACKUP_FORMAT,
    tenant,
    startedAt: isoTime(clock.now()),
    runsSinceMs: runsSinceMs ?? null,
    values,
    schema: tables,
    files: {},
  };
}

function writing(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new CliFailure(1, `${path} could not be written: ${(error as Error).message}`);
  }
}
