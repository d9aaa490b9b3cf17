import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { fileOptions, ownPath } from "./file-options.ts";
import { inWorkspace } from "./workspace-file.ts";

const MAX_PATHS = 1000;

/** Lists the paths of the files in a folder of the workspace. */
export const directoryRead = catalogTool({
  className: "DirectoryReadTool",
  displayName: "List files in directory",
  group: "files",
  service: "files",
  effectClass: "R",
  cache: false,
  description: "Lists the files of a folder in the workspace, and of the folders in it.",
  input: () =>
    z.object({ directory: z.string().min(1).describe("The folder; . is the whole workspace") }),
  options: () => z.object(fileOptions()),
  fixable: ["directory"],
  maxChars: 65_536,
  run: async ({ directory }, { baseDir }, io) => {
    const files = await inWorkspace(() => io.files.list(ownPath(directory, baseDir)));
    if (files.length === 0)
      throw serviceFailure({
        code: "not_found",
        message: `There are no files in ${JSON.stringify(directory)}.`,
      });
    const paths = files.map(({ path }) => path).toSorted();
    const shown = paths.slice(0, MAX_PATHS).map((path) => `-${path}`);
    const more = paths.length - shown.length;
    return ["File paths: ", ...shown, ...(more > 0 ? [`(${more} more)`] : [])].join("\n");
  },
});
