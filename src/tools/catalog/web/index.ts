export { crawl4ai } from "./crawl4ai.ts";
export { httpRequest } from "./http-request.ts";
export { scrapeElementFromWebsite } from "./scrape-element.ts";
export { scrapeWebsite } from "./scrape-website.ts";
export { seleniumScraping } from "./selenium-scraping.ts";
export { stagehand } from "./stagehand.ts";
export { urlRead } from "./url-read.ts";
export { webRead } from "./web-read.ts";
