/** Tables of files in SQLite, and questions to them in SQL. */
export { openTables, type OpenTables } from "../tools/catalog/tables/open-tables.ts";
export type { Citation } from "../tools/catalog/tables/cite.ts";
export type { TableFile } from "../tools/catalog/tables/file-rows.ts";
export type { TableAnswer } from "../tools/catalog/tables/query-tables.ts";
export type { DurableTables, ProcessTables } from "../tools/catalog/tables/table-database.ts";
export type { ColumnProfile, TableProfile } from "../tools/catalog/tables/table-profile.ts";
export { describeTable, joinTables, queryTable } from "../tools/catalog/tables/index.ts";
export { tableTools } from "../tools/catalog/tables/table-tools.ts";
