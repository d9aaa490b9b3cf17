import { fileSearch } from "./file-search.ts";

/** Searches an XML file. */
export const xmlSearch = fileSearch({
  className: "XMLSearchTool",
  displayName: "Search a XML's content",
  what: "an XML file",
  argument: "xml",
  type: "xml",
});
