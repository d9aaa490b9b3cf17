import type { CatalogEntry } from "./base/entry.ts";
import { serperDev } from "./serper/serper-dev.ts";

/** Every tool of the catalogue. */
export const ENTRIES: readonly CatalogEntry[] = [serperDev].map(({ entry }) => entry);
