import { fileSearch } from "./file-search.ts";

/** Searches a CSV file. */
export const csvSearch = fileSearch({
  className: "CSVSearchTool",
  displayName: "Search a CSV's content",
  what: "a CSV file",
  argument: "csv",
  type: "csv",
});
