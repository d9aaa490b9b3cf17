export { tinyfishFetch } from "./tinyfish-fetch.ts";
export { tinyfishScrape } from "./tinyfish-scrape.ts";
export { tinyfishSearch } from "./tinyfish-search.ts";
