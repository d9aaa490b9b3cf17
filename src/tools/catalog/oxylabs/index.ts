export { oxylabsAmazonProductScraper } from "./oxylabs-amazon-product-scraper.ts";
export { oxylabsAmazonSearchScraper } from "./oxylabs-amazon-search-scraper.ts";
export { oxylabsGoogleSearchScraper } from "./oxylabs-google-search-scraper.ts";
export { oxylabsUniversalScraper } from "./oxylabs-universal-scraper.ts";
