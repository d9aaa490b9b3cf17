import { fileSearch } from "./file-search.ts";

/** Searches a PDF file. */
export const pdfSearch = fileSearch({
  className: "PDFSearchTool",
  displayName: "Search a PDF's content",
  what: "a PDF file",
  argument: "pdf",
  question: "query",
  type: "pdf",
});
