export { duckDuckGoSearch } from "./duckduckgo-search.ts";
