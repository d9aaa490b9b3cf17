export { googleSearch } from "./google-search.ts";
