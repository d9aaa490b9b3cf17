export { scrapflyScrapeWebsite } from "./scrapfly-scrape-website.ts";
