import type { CatalogEntry } from "./base/entry.ts";
import * as apify from "./apify/index.ts";
import * as arxiv from "./arxiv/index.ts";
import * as aws from "./aws/index.ts";
import * as brave from "./brave/index.ts";
import * as brightdata from "./brightdata/index.ts";
import * as browserbase from "./browserbase/index.ts";
import * as cloudflare from "./cloudflare/index.ts";
import * as code from "./code/index.ts";
import * as composio from "./composio/index.ts";
import * as contextual from "./contextual/index.ts";
import * as crewai from "./crewai/index.ts";
import * as databricks from "./databricks/index.ts";
import * as discord from "./discord/index.ts";
import * as documents from "./documents/index.ts";
import * as duckduckgo from "./duckduckgo/index.ts";
import * as exa from "./exa/index.ts";
import * as files from "./files/index.ts";
import * as firecrawl from "./firecrawl/index.ts";
import * as google from "./google/index.ts";
import * as googleDrive from "./google-drive/index.ts";
import * as hyperbrowser from "./hyperbrowser/index.ts";
import * as images from "./images/index.ts";
import * as jina from "./jina/index.ts";
import * as linkup from "./linkup/index.ts";
import * as mcp from "./mcp/index.ts";
import * as merge from "./merge/index.ts";
import * as openapi from "./openapi/index.ts";
import * as oxylabs from "./oxylabs/index.ts";
import * as parallel from "./parallel/index.ts";
import * as patronus from "./patronus/index.ts";
import * as perplexity from "./perplexity/index.ts";
import * as provider from "./provider/index.ts";
import * as qdrant from "./qdrant/index.ts";
import * as scrapegraph from "./scrapegraph/index.ts";
import * as scrapfly from "./scrapfly/index.ts";
import * as search from "./search/index.ts";
import * as searxng from "./searxng/index.ts";
import * as semanticScholar from "./semantic-scholar/index.ts";
import * as serpapi from "./serpapi/index.ts";
import * as serper from "./serper/index.ts";
import * as serply from "./serply/index.ts";
import * as slack from "./slack/index.ts";
import * as snowflake from "./snowflake/index.ts";
import * as spider from "./spider/index.ts";
import * as sql from "./sql/index.ts";
import * as tables from "./tables/index.ts";
import * as tavily from "./tavily/index.ts";
import * as telegram from "./telegram/index.ts";
import * as tinyfish from "./tinyfish/index.ts";
import * as wait from "./wait/index.ts";
import * as weaviate from "./weaviate/index.ts";
import * as web from "./web/index.ts";
import * as webhook from "./webhook/index.ts";
import * as wikipedia from "./wikipedia/index.ts";
import * as youtube from "./youtube/index.ts";
import * as zapier from "./zapier/index.ts";

/** Exports of the vendor folders. */
const VENDORS = [
  apify,
  arxiv,
  aws,
  brave,
  brightdata,
  browserbase,
  cloudflare,
  code,
  composio,
  contextual,
  crewai,
  databricks,
  discord,
  documents,
  duckduckgo,
  exa,
  files,
  firecrawl,
  google,
  googleDrive,
  hyperbrowser,
  images,
  jina,
  linkup,
  mcp,
  merge,
  openapi,
  oxylabs,
  parallel,
  patronus,
  perplexity,
  provider,
  qdrant,
  scrapegraph,
  scrapfly,
  search,
  searxng,
  semanticScholar,
  serpapi,
  serper,
  serply,
  slack,
  snowflake,
  spider,
  sql,
  tables,
  tavily,
  telegram,
  tinyfish,
  wait,
  weaviate,
  web,
  webhook,
  wikipedia,
  youtube,
  zapier,
];

/** Every tool of the catalogue. */
export const ENTRIES: readonly CatalogEntry[] = VENDORS.flatMap((vendor) =>
  Object.values(vendor).flatMap((each: unknown) => (hasEntry(each) ? each.entry : [])),
);

function hasEntry(value: unknown): value is { readonly entry: CatalogEntry } {
  return typeof value === "function" && "entry" in value;
}
