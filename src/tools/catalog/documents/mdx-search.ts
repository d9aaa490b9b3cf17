import { fileSearch } from "./file-search.ts";

/** Searches a Markdown or MDX file. */
export const mdxSearch = fileSearch({
  className: "MDXSearchTool",
  displayName: "Search a MDX's content",
  what: "a Markdown or MDX file",
  argument: "mdx",
  type: "markdown",
});
