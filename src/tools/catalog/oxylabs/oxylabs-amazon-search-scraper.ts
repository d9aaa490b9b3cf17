import * as z from "zod";
import { oxylabsTool } from "./oxylabs-tool.ts";

/** Results of a search on Amazon, through Oxylabs. */
export const oxylabsAmazonSearchScraper = oxylabsTool({
  className: "OxylabsAmazonSearchScraperTool",
  displayName: "Oxylabs Amazon Search Scraper tool",
  description: "Reads the pages of a search on Amazon.",
  group: "search",
  source: "amazon_search",
  input: () => z.object({ query: z.string().describe("What to look for") }),
});
