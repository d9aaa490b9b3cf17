import type { RunSummary } from "../../client/index.ts";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { keepNames } from "../kept-names.ts";
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
    held: { about: "held back, because the deployed code does not fit them" },
    limit: { about: "how many", value: "n", integer: { least: 1, most: 200 } },
    watch: { about: "go on with a line for each change, until Ctrl-C" },
    cursor: { about: "where the last list ended", value: "cursor" },
  },
  run: async (context, { options }) => {
    const { client, out, clock, signal } = context;
    const { kind, name, status, parent, held, limit = 50, cursor, watch } = options;
    if (watch && cursor !== undefined)
      throw wrongUse("--watch begins with the newest runs: leave out --cursor");
    const wanted = { kind, name, status, parent, cursor, ...(held ? { held } : {}) };
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
    const page = await edgecrew.runs.list({ limit, ...query });
    const nowMs = clock.now();
    const rows: readonly RunSummary[] = page.items;
    keepNames(context, { runs: rows.map(({ id }) => id) });
    out.table({ rows, value: page, none: "There are no such runs." }, [
      { title: "ID", of: ({ id }) => id },
      { title: "NAME", of: ({ kind: of, name: named }) => `${of} ${named}` },
      { title: "STATUS", of: (row) => (row.held ? "held" : row.status) },
      { title: "AGE", of: ({ createdAt }) => age(createdAt, nowMs) },
      { title: "TOOK", of: tookOf },
    ]);
    if (page.nextCursor !== undefined && !out.isJson)
      out.note(`There are more: --cursor ${page.nextCursor}`);
    return 0;
  },
});

function printLine(out: Output, run: RunSummary): void {
  out.line(run, () => runLine(run));
}

/** From its start to its last change, once it has ended. */
function tookOf({ status, createdAt, updatedAt }: RunSummary): string {
  return ["completed", "failed", "cancelled"].includes(status)
    ? duration(createdAt, updatedAt)
    : "";
}
