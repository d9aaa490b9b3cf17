import type { CatalogVariable } from "../base/entry.ts";

export const FIRECRAWL_KEY: CatalogVariable = {
  name: "FIRECRAWL_API_KEY",
  description: "the key of firecrawl.dev",
  send: { header: "Authorization", prefix: "Bearer " },
  option: "apiKey",
};

export const FIRECRAWL = "https://api.firecrawl.dev/v2";
