export { oxylabsAmazonSearchScraper } from "./oxylabs-amazon-search-scraper.ts";
export { oxylabsGoogleSearchScraper } from "./oxylabs-google-search-scraper.ts";
