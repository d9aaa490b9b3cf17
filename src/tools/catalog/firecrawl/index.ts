export { firecrawlCrawlWebsite } from "./firecrawl-crawl-website.ts";
export { firecrawlScrapeWebsite } from "./firecrawl-scrape-website.ts";
export { firecrawlSearch } from "./firecrawl-search.ts";
