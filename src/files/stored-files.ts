import type { FileRef } from "./file-ref.ts";

/** A file of a tenant, and the way to its bytes. */
export type StoredFile = {
  readonly ref: FileRef;
  /** Each call begins anew. */
  open(): Promise<ReadableStream<Uint8Array>>;
};

/** The files of a tenant, by their ids. */
export interface StoredFiles {
  /** Undefined for an id that is no file of this tenant, or of one that has expired. */
  get(id: string): Promise<StoredFile | undefined>;
}

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Where `{ "$file": id }` leads. */
    readonly storedFiles?: StoredFiles;
  }
}
