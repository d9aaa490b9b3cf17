/** Files over HTTP: uploads, downloads, and the output files of runs. */
import { storedFileStores, type FilesSetting } from "../cloudflare/stores/file-store-setting.ts";
import { filesPart, type FilesLimits } from "../files/files-part.ts";
import type { Part } from "../parts/part.ts";

export type { FilesLimits } from "../files/files-part.ts";
export type { FilesSetting } from "../cloudflare/stores/file-store-setting.ts";
export type { FileRef } from "../files/file-ref.ts";
/** The files of a run, for tools of one's own. */
export { workspaceOf } from "../files/workspace.ts";
export type { Workspace, WorkspaceChange, WorkspaceFile } from "../files/workspace.ts";

/** Tools with which agents read and write the files of their run. */
export { workspaceTools, type WorkspaceToolsOptions } from "../tools/workspace/workspace-tools.ts";

/**
 * Stores files under ids, for `/files` and for kickoffs, beside the files written by runs: `defineApp({ files: files({
 * store: { r2: "FILES" } }) })`. Throws `invalid_definition` for invalid limits.
 */
export function files({
  store,
  ...limits
}: FilesLimits & {
  /** `"d1"` for files of up to 1.9 MB, or the binding name of an R2 bucket. */
  readonly store: FilesSetting;
}): Part {
  return filesPart(limits, storedFileStores(store));
}
