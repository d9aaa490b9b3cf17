import type { JsonValue } from "../../base/json.ts";
import type { RunSummary } from "../../client/index.ts";
import { command } from "../command.ts";
import { keepNames } from "../kept-names.ts";
import { age } from "../times.ts";

/** `edgecrew runs ls`: runs, newest first. */
export const runsLs = command({
  name: "runs ls",
  about: "list runs, newest first",
  example: "edgecrew runs ls --status failed --limit 20",
  options: {
    kind: { about: "crew, flow, agent, conversation and others", value: "kind" },
    name: { about: "of this definition", value: "name" },
    status: { about: "queued, running, waiting, completed, failed or cancelled", value: "status" },
    parent: { about: "started by this run", value: "id" },
    held: { about: "held back, because the deployed code does not fit them" },
    limit: { about: "how many", value: "n", integer: { least: 1, most: 200 } },
    cursor: { about: "where the last list ended", value: "cursor" },
  },
  run: async (context, { options }) => {
    const { client, out, clock } = context;
    const { kind, name, status, parent, held, limit = 50, cursor } = options;
    const wanted = { kind, name, status, parent, cursor, ...(held ? { held } : {}) };
    const query = Object.fromEntries(
      Object.entries(wanted).filter(([, value]) => value !== undefined),
    );
    const page = await (await client()).runs.list({ limit, ...query });
    const nowMs = clock.now();
    const rows: readonly RunSummary[] = page.items;
    keepNames(context, { runs: rows.map(({ id }) => id) });
    out.table({ rows, value: page as unknown as JsonValue, none: "There are no such runs." }, [
      { title: "ID", of: ({ id }) => id },
      { title: "NAME", of: ({ kind: of, name: named }) => `${of} ${named}` },
      { title: "STATUS", of: (row) => row.status },
      { title: "AGE", of: ({ createdAt }) => age(createdAt, nowMs) },
    ]);
    if (page.nextCursor !== undefined && !out.isJson)
      out.note(`There are more: --cursor ${page.nextCursor}`);
  },
});
