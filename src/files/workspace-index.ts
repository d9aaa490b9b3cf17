import type { WorkspaceFile } from "./workspace.ts";

/** Change of one file of a workspace. */
export type EntryChange = {
  readonly path: string;
  /** Null deletes it. */
  readonly entry: (Omit<WorkspaceFile, "path"> & { readonly blob: string }) | null;
  /** Required digest before the change, or null for no file. @default any state */
  readonly before?: string | null;
};

export type WorkspaceLimits = { readonly files: number; readonly bytes: number };

/** `lost`: the bytes were removed before, because they had no entry for too long. */
export type ChangeOutcome = "done" | "conflict" | "limit" | "lost";

/** The files of a tenant's workspaces, by workspace and path. */
export interface WorkspaceIndex {
  get(workspace: string, path: string): Promise<WorkspaceFile | undefined>;
  /** Lists entries in the order of their paths, at most as many as a workspace may have. */
  list(workspace: string, prefix: string): Promise<readonly WorkspaceFile[]>;
  /** Makes all changes, or no change at all. */
  change(
    workspace: string,
    changes: readonly EntryChange[],
    options: { readonly limits: WorkspaceLimits; readonly nowMs: number; readonly token: string },
  ): Promise<ChangeOutcome>;
  /** Notes the use of another workspace by a run. */
  assign(runId: string, workspace: string): Promise<void>;
  /** Returns the assigned workspace of a run. */
  assigned(runId: string): Promise<string | undefined>;
}
