import { resolve } from "node:path";
import { readManifest, type Manifest } from "../backup/manifest.ts";
import { restoreBackup } from "../backup/restore-backup.ts";
import { wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import { counted } from "../counted.ts";
import { plain } from "../output.ts";

const MAX_SHOWN = 100;

/** `edgecrew restore`: a backup into a Worker. */
export const restore = command({
  name: "restore",
  about: "put a backup into a Worker; what is there already stays",
  args: "<folder>",
  example: "edgecrew restore backups/monday --dry-run",
  options: {
    only: { about: "tables by name, and runs; separated by commas", value: "names", many: true },
    tenant: { about: "a=b: what is of a becomes b's; for the operator", value: "a=b" },
    resumeRuns: { about: "let runs that had not finished go on, under new ids" },
    dryRun: { about: "say what would become of it, and write nothing" },
  },
  run: async (context, { args: [named = ""], options }) => {
    const { cwd, out } = context;
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

/** Memories come without vectors; a run of the Worker makes them. */
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
