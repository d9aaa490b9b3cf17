export { jinaScrapeWebsite } from "./jina-scrape-website.ts";
