import * as z from "zod";
import { oxylabsTool } from "./oxylabs-tool.ts";

/** Google results through Oxylabs. */
export const oxylabsGoogleSearchScraper = oxylabsTool({
  className: "OxylabsGoogleSearchScraperTool",
  displayName: "Oxylabs Google Search Scraper tool",
  description: "Reads the pages of a Google search.",
  group: "search",
  source: "google_search",
  input: () => z.object({ query: z.string().describe("What to look for") }),
});
