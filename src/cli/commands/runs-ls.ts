import type { RunSummary } from "../../client/index.ts";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { keepNames } from "../kept-names.ts";
import { newestOpenRuns } from "../open-runs.ts";
import type { Output } from "../output.ts";
import { RunChanges } from "../run-changes.ts";
import { runLine } from "../run-line.ts";
import { age, duration } from "../times.ts";

/** `edgecrew runs ls`: runs, newest first. */
export const runsLs = command({
  name: "runs ls",
  serves: true,
  about: "list runs, newest first",
  example: "edgecrew runs ls --status failed --limit 20",
  options: {
    kind: { about: "crew, flow, agent, conversation and others", value: "kind" },
    name: { about: "of this definition", value: "name" },
    status: { about: "queued, running, waiting, completed, failed or cancelled", value: "status" },
    parent: { about: "started by this run", value: "id" },
    tag: { about: "with this tag, and every other that is named", value: "tag", many: true },
    definition: { about: "of this definition and version, such as briefing@1", value: "name" },
    open: { about: "only runs that have not ended" },
    held: { about: "only held runs, which the deployed code does not fit" },
    limit: { about: "maximum number", value: "n", integer: { least: 1, most: 200 } },
    watch: { about: "go on with a line for each change, until Ctrl-C" },
    cursor: { about: "next cursor of the last list", value: "cursor" },
  },
  run: async (context, { options }) => {
    const { client, out, clock, signal } = context;
    const { kind, status, parent, open, held, limit = 50, cursor, watch } = options;
    if (watch && cursor !== undefined)
      throw wrongUse("--watch begins with the newest runs: leave out --cursor");
    if (open && (watch || status !== undefined || cursor !== undefined))
      throw wrongUse(
        "--open lists queued, running and waiting runs, up to --limit: leave out --status, --cursor and --watch",
      );
    const of = definitionOf(options);
    const tags = options.tag.length === 0 ? {} : { tag: options.tag };
    const wanted = { kind, ...of, status, parent, cursor, ...tags, ...(held ? { held } : {}) };
    const query = Object.fromEntries(
      Object.entries(wanted).filter(([, value]) => value !== undefined),
    );
    const edgecrew = await client();
    const onLost = ({ message }: Error): void => out.note(`! ${message}: tried again`);
    const changes = new RunChanges({ client: edgecrew, clock, signal, query, onLost });
    if (watch) {
      const { items } = await changes.begin();
      for (const run of items.slice(0, limit).toReversed()) printLine(out, run);
      for await (const run of changes.changes()) printLine(out, run);
      return 130;
    }
    const page = open
      ? await newestOpenRuns(edgecrew, { ...query, limit })
      : await edgecrew.runs.list({ limit, ...query });
    const nowMs = clock.now();
    const rows: readonly RunSummary[] = page.items;
    keepNames(context, { runs: rows.map(({ id }) => id) });
    out.table({ rows, value: page, none: "There are no such runs." }, [
      { title: "ID", of: ({ id }) => id },
      { title: "NAME", of: nameOf },
      { title: "STATUS", of: (row) => (row.held ? "held" : row.status) },
      { title: "AGE", of: ({ createdAt }) => age(createdAt, nowMs) },
      { title: "TOOK", of: tookOf },
    ]);
    if (page.nextCursor !== undefined && !out.isJson)
      out.note(`There are more: --cursor ${page.nextCursor}`);
    if (open && rows.length === limit && !out.isJson) out.note("There may be more: --limit 200");
    return 0;
  },
});

/** Throws exit code 2 if two definitions are named. */
function definitionOf({
  name,
  definition,
}: {
  readonly name: string | undefined;
  readonly definition: string | undefined;
}): { readonly name: string | undefined; readonly definitionVersion?: string } {
  if (definition === undefined) return { name };
  const at = definition.lastIndexOf("@");
  const [before, version] = [definition.slice(0, at), definition.slice(at + 1)];
  if (name !== undefined || at < 1 || version === "")
    throw wrongUse(
      `--definition: expected name@version in place of --name, got ${JSON.stringify(definition)}`,
    );
  return { name: before, definitionVersion: version };
}

function nameOf({ kind, name, definitionVersion }: RunSummary): string {
  return `${kind} ${name}${definitionVersion === undefined ? "" : `@${definitionVersion}`}`;
}

function printLine(out: Output, run: RunSummary): void {
  out.line(run, () => runLine(run));
}

/** From its start to its last change, once it has ended. */
function tookOf({ status, createdAt, updatedAt }: RunSummary): string {
  return ["completed", "failed", "cancelled"].includes(status)
    ? duration(createdAt, updatedAt)
    : "";
}
