export { scrapegraphScrape } from "./scrapegraph-scrape.ts";
