import { resolve } from "node:path";
import { readManifest, type Manifest } from "../backup/manifest.ts";
import { restoreBackup } from "../backup/restore-backup.ts";
import { restoreDatabase } from "../backup/restore-database.ts";
import { wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import { counted } from "../counted.ts";
import { plain } from "../output.ts";

const MAX_SHOWN = 100;

/** `edgecrew restore`: restores a backup into a Worker, or resets its database. */
export const restore = command({
  name: "restore",
  about: "put a backup into a Worker without overwriting; or restore its database",
  args: "[folder]",
  example: "edgecrew restore backups/monday --dry-run",
  options: {
    only: { about: "tables by name, and runs; separated by commas", value: "names", many: true },
    tenant: { about: "a=b: moves tenant a's data to b; for the operator", value: "a=b" },
    resumeRuns: { about: "let runs that had not finished go on, under new ids" },
    d1: { about: "in place of a backup: the Worker's D1 database as it was; overwrites it" },
    to: { about: "for --d1: a time of the last 30 days, or an age such as 2h", value: "time" },
    ids: { about: "for --d1: a file of runs to list again, as of reindex", value: "file" },
    confirm: { about: "for --d1: the database's name, in place of an answer", value: "name" },
    dryRun: { about: "show the effect, and write no data" },
  },
  run: async (context, { args: [named], options }) => {
    const { cwd, out } = context;
    refuseMixed(named, options);
    if (options.d1) {
      const { to, confirm, dryRun: dry } = options;
      const ids = options.ids === undefined ? undefined : resolve(cwd, options.ids);
      return restoreDatabase(context, { to, ids, confirm, dry });
    }
    if (named === undefined)
      throw wrongUse("the folder of a backup is missing", "edgecrew restore <folder>");
    const folder = resolve(cwd, named);
    const manifest = await readManifest(folder);
    const only = chosen(options.only, manifest);
    if (manifest.withoutValues === true && only.delete("runs"))
      out.note("the runs were saved without values, and are left out");
    const tenant = targetTenant(options.tenant, manifest);
    const client = await context.client();
    const { dryRun: dry, resumeRuns: resume } = options;
    const plan = { client, folder, manifest, tenant, only, resume, dry };
    const result = await restoreBackup(context, plan);
    const memories = result.restored.find(({ what }) => what === "memories");
    if (!dry && memories !== undefined && memories.written + memories.same > 0)
      await makeVectors(context, tenant);
    out.table({ rows: result.restored, value: result, none: "Nothing." }, [
      { title: dry ? "WOULD BE" : "RESTORED", of: ({ what }) => what },
      { title: "WRITTEN", of: ({ written }) => String(written) },
      { title: "SAME", of: ({ same }) => String(same) },
      { title: "CONFLICTS", of: ({ conflicts }) => String(conflicts) },
    ]);
    for (const { id, resumedAs } of result.resumed) out.note(`run ${id} goes on as ${resumedAs}`);
    const { conflicts } = result;
    if (conflicts.length === 0) return 0;
    for (const { what, key } of conflicts.slice(0, MAX_SHOWN)) out.fault(`${what}: ${plain(key)}`);
    if (conflicts.length > MAX_SHOWN) out.fault(`and ${conflicts.length - MAX_SHOWN} more`);
    out.fault(
      `${counted(conflicts.length, "thing")} of the backup ${conflicts.length === 1 ? "is" : "are"} there with other contents, and stay as they are`,
    );
    return 1;
  },
});

/** Refuses options of the other mode. */
function refuseMixed(
  folder: string | undefined,
  options: {
    readonly d1: boolean;
    readonly only: readonly string[];
    readonly tenant: string | undefined;
    readonly resumeRuns: boolean;
    readonly to: string | undefined;
    readonly ids: string | undefined;
    readonly confirm: string | undefined;
  },
): void {
  const { d1, only, tenant, resumeRuns, to, ids, confirm } = options;
  const ofBackup = { "a folder": folder, "--only": only[0], "--tenant": tenant };
  const strange = d1
    ? { ...ofBackup, "--resume-runs": resumeRuns || undefined }
    : { "--to": to, "--ids": ids, "--confirm": confirm };
  const [found] = Object.entries(strange).filter(([, value]) => value !== undefined);
  if (found !== undefined)
    throw wrongUse(d1 ? `--d1 and ${found[0]} do not go together` : `${found[0]} needs --d1`);
}

function chosen(words: readonly string[], { tables }: Manifest): Set<string> {
  const known = [...Object.keys(tables), "runs"];
  const names = words.flatMap((word) => word.split(",")).filter((name) => name !== "");
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw wrongUse(`--only: the backup has no ${unknown}; there are: ${known.join(", ")}`);
  return new Set(names.length === 0 ? known : names);
}

function targetTenant(mapping: string | undefined, { tenant }: Manifest): string | undefined {
  if (mapping === undefined) return undefined;
  const [, from, to] = /^([^=]+)=([^=]+)$/.exec(mapping) ?? [];
  if (from === undefined || to === undefined)
    throw wrongUse(`--tenant: expected a=b, got ${JSON.stringify(mapping)}`);
  if (from !== tenant)
    throw wrongUse(`--tenant: the backup is of the tenant ${tenant}, not of ${from}`);
  return to;
}

/** Memories come without vectors; a run in the Worker makes them. */
async function makeVectors(
  { client, out }: Pick<CliContext, "client" | "out">,
  tenant: string | undefined,
): Promise<void> {
  if (tenant !== undefined)
    return out.note(`with a key of ${tenant}: edgecrew memory reindex makes the memories findable`);
  const { memory } = await client();
  const run = await memory.reindex();
  out.note("making vectors of the memories");
  await run.output();
}
