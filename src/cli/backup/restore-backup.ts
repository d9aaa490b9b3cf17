// Restores a backup into a Worker.
//
//   RSB1. Existing data is never changed: equal data counts as restored, different data is a conflict and is listed.
//   RSB2. After an interruption the same command continues: data restored before is equal then.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BackupRow, EdgecrewClient, ExportedRun } from "../../client/index.ts";
import { wrongUse } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";
import {
  linesOf,
  RUNS_FILE,
  runFile,
  tableFile,
  type Manifest,
  type SavedRun,
} from "./manifest.ts";
import { patiently } from "./patiently.ts";
import { workerContents } from "./worker-contents.ts";

/** Limits of one request: rows, and their length in characters. */
const MAX_ROWS = 40;
const MAX_LENGTH = 4_000_000;

export type RestorePlan = {
  readonly client: EdgecrewClient;
  readonly folder: string;
  readonly manifest: Manifest;
  /** Tenant of the Worker; undefined for the tenant of the key. */
  readonly tenant: string | undefined;
  readonly only: ReadonlySet<string>;
  readonly resume: boolean;
  readonly dry: boolean;
};

/** Result for a table, or for the runs. */
export type Restored = {
  readonly what: string;
  readonly written: number;
  readonly same: number;
  readonly conflicts: number;
};

export type RestoreResult = {
  readonly restored: readonly Restored[];
  /** Keys of existing data with other contents. */
  readonly conflicts: ReadonlyArray<{ readonly what: string; readonly key: string }>;
  /** Open runs, and the runs that continue them. */
  readonly resumed: ReadonlyArray<{ readonly id: string; readonly resumedAs: string }>;
};

type Counts = { written: number; same: number; conflicts: string[] };

export async function restoreBackup(
  context: Pick<CliContext, "clock" | "signal">,
  plan: RestorePlan,
): Promise<RestoreResult> {
  const { client, folder, manifest, tenant, only, dry } = plan;
  const cut = { what: "the restore", again: `edgecrew restore ${folder}` };
  const once = <Result>(work: () => Promise<Result>): Promise<Result> =>
    patiently(context, cut, work);
  const { tables } = await workerContents(client, tenant);
  checkSchema(manifest, tables);
  const all: [string, Counts][] = [];
  const resumed: { id: string; resumedAs: string }[] = [];
  for (const table of Object.keys(tables).filter((each) => only.has(each))) {
    const counts: Counts = { written: 0, same: 0, conflicts: [] };
    all.push([table, counts]);
    for await (const rows of batchesOf(join(folder, tableFile(table)))) {
      const done = await once(() => client.backup.restoreRows(table, rows, { tenant, dry }));
      counts.written += done.written;
      counts.same += done.same;
      for (const key of done.conflicts) counts.conflicts.push(Object.values(key).join(" "));
    }
  }
  if (only.has("runs")) {
    const counts: Counts = { written: 0, same: 0, conflicts: [] };
    all.push(["runs", counts]);
    for await (const line of linesOf(join(folder, RUNS_FILE))) {
      const { id } = JSON.parse(line) as SavedRun;
      const exported = JSON.parse(readFileSync(join(folder, runFile(id)), "utf8")) as ExportedRun;
      const { resume } = plan;
      const done = await once(() => client.backup.restoreRun(exported, { tenant, dry, resume }));
      if (done.outcome === "conflict") counts.conflicts.push(id);
      else counts[done.outcome === "same" ? "same" : "written"]++;
      if (done.resumedAs !== undefined) resumed.push({ id, resumedAs: done.resumedAs });
    }
  }
  return {
    restored: all.map(([what, { conflicts, ...counts }]) => ({
      what,
      ...counts,
      conflicts: conflicts.length,
    })),
    conflicts: all.flatMap(([what, { conflicts }]) => conflicts.map((key) => ({ what, key }))),
    resumed,
  };
}

/**
 * Throws exit code 2 for a backup with tables or columns unknown to the Worker, because the Worker has an earlier
 * version.
 */
function checkSchema({ schema }: Manifest, known: Manifest["schema"]): void {
  for (const [table, columns] of Object.entries(schema)) {
    const unknown = columns.find((column) => !(known[table] ?? []).includes(column));
    if (unknown !== undefined)
      throw wrongUse(
        `the backup has ${table}.${unknown}, which this Worker does not know: it is of an earlier version than the backup`,
        "edgecrew deploy",
      );
  }
}

async function* batchesOf(path: string): AsyncGenerator<readonly BackupRow[]> {
  let rows: BackupRow[] = [];
  let length = 0;
  for await (const line of linesOf(path)) {
    if (rows.length > 0 && (rows.length === MAX_ROWS || length + line.length > MAX_LENGTH)) {
      yield rows;
      rows = [];
      length = 0;
    }
    rows.push(JSON.parse(line) as BackupRow);
    length += line.length;
  }
  if (rows.length > 0) yield rows;
}
