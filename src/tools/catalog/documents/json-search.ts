import { fileSearch } from "./file-search.ts";

/** Searches a JSON file. */
export const jsonSearch = fileSearch({
  className: "JSONSearchTool",
  displayName: "Search a JSON's content",
  what: "a JSON file",
  argument: "json_path",
  type: "json",
});
