/** Keys of the catalogue's tools that index and search documents, for which a Worker needs `knowledge()`. */
export const KNOWLEDGE_TOOL_NAMES: ReadonlySet<string> = new Set(
  (
    "codedocssearch csvsearch directorysearch docxsearch githubsearch jsonsearch mdxsearch pdfsearch rag " +
    "txtsearch websitesearch xmlsearch youtubechannelsearch youtubevideosearch"
  ).split(" "),
);
