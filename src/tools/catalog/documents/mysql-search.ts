import { tableSearch } from "./table-search.ts";

/** Searches the rows of a table in MySQL or any other reachable database. */
export const mysqlSearch = tableSearch("MySQLSearchTool");
