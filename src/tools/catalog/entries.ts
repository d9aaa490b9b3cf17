import type { CatalogEntry } from "./base/entry.ts";
import * as mcp from "./mcp/index.ts";
import * as merge from "./merge/index.ts";
import * as serper from "./serper/index.ts";
import * as web from "./web/index.ts";

/** Every tool of the catalogue: what the folders of vendors export. */
export const ENTRIES: readonly CatalogEntry[] = [mcp, merge, serper, web].flatMap((vendor) =>
  Object.values(vendor).flatMap((each: unknown) => (hasEntry(each) ? each.entry : [])),
);

function hasEntry(value: unknown): value is { readonly entry: CatalogEntry } {
  return typeof value === "function" && "entry" in value;
}
