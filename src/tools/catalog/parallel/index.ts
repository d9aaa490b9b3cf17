export { parallelSearch } from "./parallel-search.ts";
