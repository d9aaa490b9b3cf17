export { describeTable } from "./describe-table.ts";
export { joinTables } from "./join-tables.ts";
export { queryTable } from "./query-table.ts";
