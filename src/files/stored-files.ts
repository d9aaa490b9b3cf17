import type { FileRange } from "./file-store.ts";
import type { FileRef } from "./file-ref.ts";

/** A file of a tenant, with access to its bytes. */
export type StoredFile = {
  readonly ref: FileRef;
  /** Each call opens a new stream. Throws `not_found` if the file was deleted in the meantime. */
  open(range?: FileRange): Promise<ReadableStream<Uint8Array>>;
};

/** A file to store. */
export type NewFile = {
  /** @default a random one */
  readonly id?: string;
  readonly name: string;
  /** Media type declared by the sender. */
  readonly declared?: string | undefined;
  readonly content: Uint8Array | ReadableStream<Uint8Array>;
  /** The run that owns the file; the file is deleted with it. Without a run the file expires. */
  readonly runId?: string;
  /** @default the deployment's lifetime, unless it belongs to a run */
  readonly expiresAtMs?: number | undefined;
  /** Announced size of the content, in bytes. */
  readonly bytes?: number | undefined;
  /** Announced SHA-256 of the content, in hexadecimal. */
  readonly sha256?: string | undefined;
};

/** Files of a tenant, by their ids. A read-only store has only `get`. */
export interface StoredFiles {
  /** Undefined for an unknown id, and for an expired file, unless an active run started with it. */
  get(id: string): Promise<StoredFile | undefined>;
  /** Stores a file, or returns the existing file with its id. Throws `conflict` if their contents differ. */
  add?(file: NewFile): Promise<FileRef>;
  /** Notes the files of a run's start. They stay available to the run until it ends. */
  use?(runId: string, ids: readonly string[]): Promise<void>;
  /** Deletes a file. False if it does not exist. */
  delete?(id: string): Promise<boolean>;
}

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Resolves `{ "$file": id }`. */
    readonly storedFiles?: StoredFiles;
  }
}
