import { directoryPlace } from "./directory-place.ts";
import { plainOptions, sourceSearch } from "./source-search.ts";

/** Searches the files of a folder. */
export const directorySearch = sourceSearch({
  className: "DirectorySearchTool",
  displayName: "Search a directory's content",
  description:
    "Finds passages of the files in a folder that answer a question, each with its file and the place in it.",
  argument: "directory",
  source: "The folder: a path in the workspace",
  options: plainOptions,
  place: directoryPlace,
});
