export { nl2sql } from "./nl2sql.ts";
export { singleStoreSearch } from "./single-store-search.ts";
