import * as z from "zod";
import { pageArgument } from "../web/page-argument.ts";
import { oxylabsTool } from "./oxylabs-tool.ts";

/** Reads any page through Oxylabs. */
export const oxylabsUniversalScraper = oxylabsTool({
  className: "OxylabsUniversalScraperTool",
  displayName: "Oxylabs Universal Scraper tool",
  description: "Reads a web page that refuses other readers.",
  group: "web",
  source: "universal",
  input: () => z.object({ url: pageArgument() }),
});
