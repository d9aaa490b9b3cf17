export { exaSearch } from "./exa-search.ts";
