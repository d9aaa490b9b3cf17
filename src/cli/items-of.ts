import { EngineError } from "../client/index.ts";

/** Of a page. A Worker without that part has no such route, and nothing of the kind. */
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
