import { siteSearch } from "./site-search.ts";

/** Searches the documentation of a program: a page of it, or the pages that it leads to. */
export const codeDocsSearch = siteSearch({
  className: "CodeDocsSearchTool",
  displayName: "Search a Code Docs content",
  argument: "docs_url",
  what: "the documentation of a program",
});
