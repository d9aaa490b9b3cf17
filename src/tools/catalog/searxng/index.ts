export { searxngSearch } from "./searxng-search.ts";
