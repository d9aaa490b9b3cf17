import type { FileRange } from "./file-store.ts";
import type { FileRef } from "./file-ref.ts";

/** A file of a tenant, and the way to its bytes. */
export type StoredFile = {
  readonly ref: FileRef;
  /** Each call begins anew. Throws `not_found` if the file was deleted in the meantime. */
  open(range?: FileRange): Promise<ReadableStream<Uint8Array>>;
};

/** A file that is to be stored. */
export type NewFile = {
  /** @default a random one */
  readonly id?: string;
  readonly name: string;
  /** The media type that its sender says it has. */
  readonly declared?: string | undefined;
  readonly content: Uint8Array | ReadableStream<Uint8Array>;
  /** The run that it belongs to, and goes with. Without one it expires. */
  readonly runId?: string;
  /** @default as the deployment says, unless it belongs to a run */
  readonly expiresAtMs?: number | undefined;
  /** What the content is said to have, in bytes. */
  readonly bytes?: number | undefined;
  /** What the content is said to have: its SHA-256 in hexadecimal. */
  readonly sha256?: string | undefined;
};

/** The files of a tenant, by their ids. What can only be read has no more than `get`. */
export interface StoredFiles {
  /** Undefined for an id that is no file of this tenant, or of one that has expired and that no run under way was started with. */
  get(id: string): Promise<StoredFile | undefined>;
  /** Stores a file, or finds the one that has its id. Throws `conflict` when that one is another. */
  add?(file: NewFile): Promise<FileRef>;
  /** Notes that a run is started with these files, which are there for it until it is over. */
  use?(runId: string, ids: readonly string[]): Promise<void>;
  /** False for a file that there is none of. */
  delete?(id: string): Promise<boolean>;
}

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Where `{ "$file": id }` leads. */
    readonly storedFiles?: StoredFiles;
  }
}
