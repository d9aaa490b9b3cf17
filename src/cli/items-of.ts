import { EngineError } from "../client/index.ts";

/** Returns the items of a page. Empty for a Worker without that part, which lacks the route. */
export async function itemsOf<Item>(
  page: Promise<{ readonly items: readonly Item[] }>,
): Promise<readonly Item[]> {
  try {
    return (await page).items;
  } catch (error) {
    if (EngineError.is(error) && error.code === "not_found") return [];
    throw error;
  }
}
