import { siteSearch } from "./site-search.ts";

/** Searches the documentation of a program: one page, or the pages linked from it. */
export const codeDocsSearch = siteSearch({
  className: "CodeDocsSearchTool",
  displayName: "Search a Code Docs content",
  argument: "docs_url",
  what: "the documentation of a program",
});
