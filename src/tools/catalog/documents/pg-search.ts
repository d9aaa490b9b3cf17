import { tableSearch } from "./table-search.ts";

/** Searches the rows of a table in Postgres, or any other database that can be reached. */
export const pgSearch = tableSearch("PGSearchTool");
