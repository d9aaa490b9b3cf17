export { serperDev } from "./serper-dev.ts";
export { serperScrapeWebsite } from "./serper-scrape-website.ts";
