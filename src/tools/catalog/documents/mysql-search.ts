import { tableSearch } from "./table-search.ts";

/** Searches the rows of a table in MySQL, or any other database that can be reached. */
export const mysqlSearch = tableSearch("MySQLSearchTool");
