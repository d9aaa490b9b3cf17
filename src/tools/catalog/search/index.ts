export { webSearch } from "./web-search.ts";
