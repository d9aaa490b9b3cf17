import type { EdgecrewClient, ListRunsOptions, Page, RunSummary } from "../client/index.ts";

/** Statuses of unended runs. */
const OPEN = ["queued", "running", "waiting"] as const;
const PAGE = 200;

/** Open runs, the newest first of each status. */
export async function* openRuns(
  client: EdgecrewClient,
  query: ListRunsOptions = {},
): AsyncGenerator<RunSummary> {
  for (const status of OPEN) {
    for (let cursor: string | undefined; ;) {
      const page = await client.runs.list({
        ...query,
        status,
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      yield* page.items;
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
  }
}

/** The newest open runs, up to `limit`, newest first. */
export async function newestOpenRuns(
  client: EdgecrewClient,
  { limit, ...query }: ListRunsOptions & { readonly limit: number },
): Promise<Page<RunSummary>> {
  const pages = await Promise.all(
    OPEN.map((status) => client.runs.list({ ...query, status, limit })),
  );
  const all = pages.flatMap(({ items }) => items);
  all.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  return { items: all.slice(0, limit) };
}
