import type { EdgecrewClient, RunSummary } from "../../client/index.ts";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { counted } from "../counted.ts";
import { timeSpan } from "../time-span.ts";
import { age } from "../times.ts";

type Plan = { readonly beforeMs: number; readonly keep: number };

const ENDED: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

/** `edgecrew runs prune`: deletes old finished runs. */
export const runsPrune = command({
  name: "runs prune",
  serves: true,
  about: "delete old finished runs",
  example: "edgecrew runs prune --older-than 30d --keep 100 --dry-run",
  options: {
    olderThan: { about: "only runs unchanged for this long: 12h, 30d, 2w", value: "span" },
    keep: {
      about: "number of newest finished runs that stay in any case",
      value: "n",
      integer: { least: 0, most: 1_000 },
    },
    dryRun: { about: "list the runs without deleting them" },
  },
  run: async (context, { options: { olderThan, keep, dryRun } }) => {
    if (olderThan === undefined && keep === undefined)
      throw wrongUse("say which: --older-than <span>, --keep <n>, or both");
    const { out, clock } = context;
    const nowMs = clock.now();
    const spanMs = olderThan === undefined ? 0 : timeSpan("--older-than", olderThan);
    const plan = { beforeMs: nowMs - spanMs, keep: keep ?? 0 };
    const client = await context.client();
    const rows = await prunable(client, plan);
    if (dryRun) {
      out.table({ rows, value: rows, none: "No run would be deleted." }, [
        { title: "ID", of: ({ id }) => id },
        { title: "NAME", of: ({ kind, name }) => `${kind} ${name}` },
        { title: "STATUS", of: ({ status }) => status },
        { title: "AGE", of: ({ createdAt }) => age(createdAt, nowMs) },
      ]);
      if (rows.length > 0) out.note(`${counted(rows.length, "run")} would be deleted.`);
      return;
    }
    if (rows.length > 0) await confirm(context, `delete ${counted(rows.length, "run")}`);
    const pruned = rows.length === 0 ? [] : await prune(client, plan);
    out.result({ pruned: [...pruned] }, () => `${counted(pruned.length, "run")} deleted`);
    const left = rows.filter(({ id }) => !pruned.includes(id)).length;
    if (left > 0)
      out.note(`${counted(left, "run")} could not be deleted yet; the same command tries again.`);
  },
});

/** Returns finished, unchanged runs, except the newest `keep` ones. */
async function prunable(
  client: EdgecrewClient,
  { beforeMs, keep }: Plan,
): Promise<readonly RunSummary[]> {
  const found: RunSummary[] = [];
  let ended = 0;
  for (let cursor: string | undefined; ;) {
    const page = await client.runs.list({
      limit: 200,
      ...(cursor === undefined ? undefined : { cursor }),
    });
    for (const run of page.items)
      if (ENDED.has(run.status) && ++ended > keep && Date.parse(run.updatedAt) < beforeMs)
        found.push(run);
    cursor = page.nextCursor;
    if (cursor === undefined) return found;
  }
}

async function prune(client: EdgecrewClient, { beforeMs, keep }: Plan): Promise<readonly string[]> {
  const olderThan = new Date(beforeMs).toISOString();
  const all: string[] = [];
  for (;;) {
    const { pruned, more } = await client.runs.prune({ olderThan, keep, limit: 200 });
    all.push(...pruned);
    if (!more || pruned.length === 0) return all;
  }
}
