import { tableSearch } from "./table-search.ts";

/** Searches the rows of a table in Postgres or any other reachable database. */
export const pgSearch = tableSearch("PGSearchTool");
