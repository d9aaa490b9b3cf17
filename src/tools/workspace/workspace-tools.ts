// Tools for the files of a run: what an agent writes it finds again, and so do the run's other agents, its code and whoever fetches it.
import { readFileTool } from "../builtin/read-file.ts";
import type { Tool } from "../tool.ts";
import { applyPatchTool, deleteFileTool, updateFileTool, writeFileTool } from "./change-tools.ts";
import { findFilesTool, listFilesTool } from "./reading-tools.ts";

/** Options of `workspaceTools()`. */
export type WorkspaceToolsOptions = {
  /** Leaves out the tools that change files. @default false */
  readonly readOnly?: boolean;
};

/**
 * `read_file`, `find_files` and `list_files`, and unless they are to be read only `write_file`, `update_file`, `delete_file` and
 * `apply_patch`: the files in the workspace of the run. Needs a file store.
 */
export function workspaceTools({ readOnly = false }: WorkspaceToolsOptions = {}): readonly Tool[] {
  return [
    readFileTool(),
    findFilesTool(),
    listFilesTool(),
    ...(readOnly ? [] : [writeFileTool(), updateFileTool(), deleteFileTool(), applyPatchTool()]),
  ];
}
