import { resolve } from "node:path";
import { isoTime } from "../../base/clock.ts";
import { saveBackup } from "../backup/save-backup.ts";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { counted } from "../counted.ts";
import { timeSpan } from "../time-span.ts";

/** `edgecrew backup`: saves a tenant's data as files. */
export const backup = command({
  name: "backup",
  about: "save a Worker's definitions, schedules, memory, knowledge, threads and runs in a folder",
  example: "edgecrew backup --out backups/monday --runs since=7d",
  options: {
    out: {
      about: "folder, default backup-<day>; an interrupted backup continues",
      value: "folder",
    },
    runs: { about: "default all; since=7d: runs begun since then; none", value: "which" },
    values: { about: "inputs and outputs of steps; needed to restore runs", on: true },
    tenant: { about: "another tenant than that of the key; for the operator", value: "name" },
  },
  run: async (context, { options: { out: named, runs, values, tenant } }) => {
    const { clock, cwd, out } = context;
    const nowMs = clock.now();
    const runsSinceMs = sinceOf(runs, nowMs);
    const folder = resolve(cwd, named ?? `backup-${isoTime(nowMs).slice(0, 10)}`);
    const client = await context.client();
    const plan = { client, folder, tenant, runsSinceMs, values };
    const manifest = await saveBackup(context, plan);
    const rows = Object.values(manifest.tables).reduce((sum, file) => sum + file.rows, 0);
    const counts = Object.entries(manifest.tables).map(([table, file]) => [table, file.rows]);
    out.result(
      {
        folder,
        tenant: manifest.tenant,
        tables: Object.fromEntries(counts),
        runs: manifest.runs.rows,
      },
      () => `${counted(rows, "row")} and ${counted(manifest.runs.rows, "run")} saved in ${folder}`,
    );
  },
});

function sinceOf(runs: string | undefined, nowMs: number): number | undefined {
  if (runs === undefined || runs === "all") return 0;
  if (runs === "none") return undefined;
  const [, span] = /^since=(.+)$/.exec(runs) ?? [];
  if (span === undefined)
    throw wrongUse(`--runs: expected all, none or since=7d, got ${JSON.stringify(runs)}`);
  return nowMs - timeSpan("--runs since", span);
}
