import type { WorkspaceFile } from "./workspace.ts";

/** What becomes of one file of a workspace. */
export type EntryChange = {
  readonly path: string;
  /** Null deletes it. */
  readonly entry: (Omit<WorkspaceFile, "path"> & { readonly blob: string }) | null;
  /** What has to be there before: its digest, or null for nothing. @default anything */
  readonly before?: string | null;
};

export type WorkspaceLimits = { readonly files: number; readonly bytes: number };

/** `lost`: the bytes were removed before, as they were there for too long without an entry. */
export type ChangeOutcome = "done" | "conflict" | "limit" | "lost";

/** The files of a tenant's workspaces, by workspace and path. */
export interface WorkspaceIndex {
  get(workspace: string, path: string): Promise<WorkspaceFile | undefined>;
  /** In the order of their paths; at most as many as a workspace may have. */
  list(workspace: string, prefix: string): Promise<readonly WorkspaceFile[]>;
  /** Makes all changes, or none. */
  change(
    workspace: string,
    changes: readonly EntryChange[],
    options: { readonly limits: WorkspaceLimits; readonly nowMs: number; readonly token: string },
  ): Promise<ChangeOutcome>;
  /** Notes that a run uses a workspace other than its own. */
  assign(runId: string, workspace: string): Promise<void>;
  /** The workspace that a run was assigned. */
  assigned(runId: string): Promise<string | undefined>;
}
