import * as z from "zod";
import { oxylabsTool } from "./oxylabs-tool.ts";

/** Reads a product's page on Amazon through Oxylabs. */
export const oxylabsAmazonProductScraper = oxylabsTool({
  className: "OxylabsAmazonProductScraperTool",
  displayName: "Oxylabs Amazon Product Scraper tool",
  description: "Reads the page of a product on Amazon.",
  group: "web",
  source: "amazon_product",
  input: () => z.object({ query: z.string().min(1).describe("The product's ASIN: 10 characters") }),
});
