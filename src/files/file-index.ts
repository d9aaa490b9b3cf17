import type { Page } from "../runtime/page.ts";
import type { FileFacts, FileKind } from "./file-ref.ts";

/** A row of the index. */
export type FileRow = FileFacts & {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The run that owns the file. The file is deleted with it. */
  readonly runId?: string;
  readonly createdAtMs: number;
  readonly expiresAtMs?: number;
};

/** Storage limits of a tenant. */
export type FileQuota = {
  readonly files: number;
  /** Total of all files. Files with equal bytes count each. */
  readonly bytes: number;
};

export type FileListing = {
  readonly kind?: FileKind | undefined;
  /** Only files of this run or its inputs. */
  readonly runId?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly nowMs: number;
};

/** Files of a tenant by id. An expired file is visible only to active runs that started with it. */
export interface FileIndex {
  /**
   * Adds a file with its bytes at `path`, or returns the existing file with its id. Equal bytes that are already stored
   * replace these. Undefined if the quota does not allow it, or if the path has been removed.
   */
  add(
    file: FileRow,
    at: { readonly path: string; readonly quota: FileQuota },
  ): Promise<FileRow | undefined>;
  get(id: string, nowMs: number): Promise<FileRow | undefined>;
  /** Lists files, newest first. */
  list(listing: FileListing): Promise<Page<FileRow>>;
  /** Returns the stored amount, including files that have expired since the last sweep. */
  usage(): Promise<FileQuota>;
  /** Deletes a file. False if it does not exist. */
  delete(id: string): Promise<boolean>;
  /** Notes the files of a run's start. */
  use(runId: string, ids: readonly string[]): Promise<void>;
  /** Returns the active runs that started with a file, as far as the index of all runs knows. */
  runsUsing(id: string): Promise<readonly string[]>;
}

/** Follows changes of runs, for the tenant's files and workspaces together. */
export interface RunFilesIndex {
  /** A fork uses the files of its origin, and has a copy of its workspace. */
  forked(run: { readonly id: string; readonly from: string }): Promise<void>;
  /** Removes the files and the workspace of a deleted run. A file that another run started with passes to that run. */
  forgotten(runId: string): Promise<void>;
}
