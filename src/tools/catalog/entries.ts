import type { CatalogEntry } from "./base/entry.ts";
import * as arxiv from "./arxiv/index.ts";
import * as brave from "./brave/index.ts";
import * as brightdata from "./brightdata/index.ts";
import * as browserbase from "./browserbase/index.ts";
import * as documents from "./documents/index.ts";
import * as exa from "./exa/index.ts";
import * as firecrawl from "./firecrawl/index.ts";
import * as hyperbrowser from "./hyperbrowser/index.ts";
import * as jina from "./jina/index.ts";
import * as linkup from "./linkup/index.ts";
import * as oxylabs from "./oxylabs/index.ts";
import * as parallel from "./parallel/index.ts";
import * as scrapegraph from "./scrapegraph/index.ts";
import * as scrapfly from "./scrapfly/index.ts";
import * as serpapi from "./serpapi/index.ts";
import * as serper from "./serper/index.ts";
import * as serply from "./serply/index.ts";
import * as spider from "./spider/index.ts";
import * as tavily from "./tavily/index.ts";
import * as web from "./web/index.ts";

/** What the folders of vendors export. */
const VENDORS = [
  arxiv,
  brave,
  brightdata,
  browserbase,
  documents,
  exa,
  firecrawl,
  hyperbrowser,
  jina,
  linkup,
  oxylabs,
  parallel,
  scrapegraph,
  scrapfly,
  serpapi,
  serper,
  serply,
  spider,
  tavily,
  web,
];

/** Every tool of the catalogue. */
export const ENTRIES: readonly CatalogEntry[] = VENDORS.flatMap((vendor) =>
  Object.values(vendor).flatMap((each: unknown) => (hasEntry(each) ? each.entry : [])),
);

function hasEntry(value: unknown): value is { readonly entry: CatalogEntry } {
  return typeof value === "function" && "entry" in value;
}
