import type { Page, PageOptions } from "../client/index.ts";

/** All items of a list, page by page, up to `most`. */
export async function everyPage<Item>(
  read: (page: PageOptions) => Promise<Page<Item>>,
  most = 100_000,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let cursor: string | undefined; items.length < most;) {
    const limit = Math.min(200, most - items.length);
    const page = await read({ limit, ...(cursor === undefined ? {} : { cursor }) });
    items.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return items;
}
