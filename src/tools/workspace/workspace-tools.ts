// Tools for the files of a run. Files written by an agent are available to it later, to the run's other agents, to its
// code and to the caller.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { readFileTool } from "../builtin/read-file.ts";
import type { Tool } from "../tool.ts";
import { applyPatchTool, deleteFileTool, updateFileTool, writeFileTool } from "./change-tools.ts";
import { findFilesTool, listFilesTool } from "./reading-tools.ts";

/** Options of `workspaceTools()`. */
export type WorkspaceToolsOptions = {
  /** Leaves out the tools for changing files. @default false */
  readonly readOnly?: boolean;
};

const OPTIONS = definitionOptions<WorkspaceToolsOptions>("workspaceTools()", {
  readOnly: true,
});

/**
 * Creates the tools for the files in the run's workspace: `read_file`, `find_files`, `list_files` and, unless
 * read-only, `write_file`, `update_file`, `delete_file` and `apply_patch`. Needs a file store.
 */
export function workspaceTools(options: WorkspaceToolsOptions = {}): readonly Tool[] {
  refuseUnknownOptions(options, OPTIONS);
  const { readOnly = false } = options;
  return [
    readFileTool(),
    findFilesTool(),
    listFilesTool(),
    ...(readOnly ? [] : [writeFileTool(), updateFileTool(), deleteFileTool(), applyPatchTool()]),
  ];
}
