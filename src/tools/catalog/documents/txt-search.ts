import { fileSearch } from "./file-search.ts";

/** Searches a text file. */
export const txtSearch = fileSearch({
  className: "TXTSearchTool",
  displayName: "Search a txt's content",
  what: "a text file",
  argument: "txt",
  type: "text",
});
