import { fileSearch } from "./file-search.ts";

/** Searches a DOCX file. */
export const docxSearch = fileSearch({
  className: "DOCXSearchTool",
  displayName: "Search a DOCX's content",
  what: "a DOCX file",
  argument: "docx",
  type: "docx",
});
