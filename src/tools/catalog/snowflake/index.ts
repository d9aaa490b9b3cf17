export { snowflakeSearch } from "./snowflake-search.ts";
