export { linkupSearch } from "./linkup-search.ts";
