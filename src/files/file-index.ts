import type { Page } from "../runtime/page.ts";
import type { FileFacts, FileKind } from "./file-ref.ts";

/** A stored file, as the index has it. */
export type FileRow = FileFacts & {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The run that it belongs to, and goes with. */
  readonly runId?: string;
  readonly createdAtMs: number;
  readonly expiresAtMs?: number;
};

/** What a tenant may store. */
export type FileQuota = {
  readonly files: number;
  /** Of all files together; each counts, whether or not others have the same bytes. */
  readonly bytes: number;
};

export type FileListing = {
  readonly kind?: FileKind | undefined;
  /** Files that belong to this run, or that it was started with. */
  readonly runId?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly nowMs: number;
};

/**
 * The files of a tenant by id. One that has expired is there for nobody, except while a run that was started with it is under way.
 */
export interface FileIndex {
  /**
   * Adds a file whose bytes are at `path`, or finds the one that has its id. Equal bytes that are stored already are used in place
   * of these. Undefined when the quota does not allow it, or when the path has been removed.
   */
  add(
    file: FileRow,
    at: { readonly path: string; readonly quota: FileQuota },
  ): Promise<FileRow | undefined>;
  get(id: string, nowMs: number): Promise<FileRow | undefined>;
  /** Newest first. */
  list(listing: FileListing): Promise<Page<FileRow>>;
  /** How much is stored, what has expired since the last sweep included. */
  usage(): Promise<FileQuota>;
  /** False for a file that there is none of. */
  delete(id: string): Promise<boolean>;
  /** Notes that a run is started with these files. */
  use(runId: string, ids: readonly string[]): Promise<void>;
  /** The runs under way that were started with a file, as far as the index over all runs knows. */
  runsUsing(id: string): Promise<readonly string[]>;
}

/** What runs leave behind, for the tenant's files and workspaces together. */
export interface RunFilesIndex {
  /** A fork uses the files of its origin, and has a copy of its workspace. */
  forked(run: { readonly id: string; readonly from: string }): Promise<void>;
  /** The files and the workspace of a run are no more. Files that another run was started with pass to that one. */
  forgotten(runId: string): Promise<void>;
}
