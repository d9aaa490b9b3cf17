import { EngineError } from "../base/error.ts";
import type { Page } from "../runtime/page.ts";

/** A stored file without its bytes. */
export type FileStat = {
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
};

/**
 * A range of a file from `offset` (default 0), at most `length` bytes (default: to the end). It begins inside the file.
 */
export type FileRange = { readonly offset?: number; readonly length?: number };

/** A file open for reading. `bytes` is the size of the whole file, also for a range. */
export type OpenFile = FileStat & { readonly stream: ReadableStream<Uint8Array> };

/** Filter of a list: paths with this `prefix`. */
export type FileQuery = {
  readonly prefix?: string;
  readonly cursor?: string;
  /** 1 to 1000; a page may have fewer even if another one follows. @default 1000 */
  readonly limit?: number;
};

/**
 * Files by path, such as `reports/2026/edge.md`: relative, with `/` between the parts. Writing to an existing path
 * replaces the file.
 *
 * `put` and `get` suffice for the files of tasks. Uploads and workspaces need the other methods, too. A feature that
 * misses a method fails with `unavailable`.
 */
export interface FileStore {
  /** Writes a file. A store with `open` accepts streams, too; a failed stream leaves the previous file in place. */
  put(
    path: string,
    content: string | Uint8Array | ReadableStream<Uint8Array>,
    mediaType: string,
  ): Promise<void>;
  /** Undefined for a path without a file. */
  get(
    path: string,
  ): Promise<{ readonly content: Uint8Array; readonly mediaType: string } | undefined>;
  /** Opens the file, or a range of it, as a stream. */
  open?(path: string, range?: FileRange): Promise<OpenFile | undefined>;
  stat?(path: string): Promise<FileStat | undefined>;
  /** Lists files in the order of their paths. */
  list?(query?: FileQuery): Promise<Page<FileStat>>;
  /** Deletes files. Paths without a file are no error. */
  delete?(paths: string | readonly string[]): Promise<void>;
  /** Uploads in several requests. */
  readonly parts?: FileParts;
}

/** Joins a file from parts of equal size; the last may be smaller. The file exists once it is completed. */
export interface FileParts {
  /** Size of each part but the last, in bytes. */
  readonly partBytes: number;
  /** Begins a file; the id names it in the other calls. */
  begin(path: string, mediaType: string): Promise<string>;
  /** Adds a part, counted from 1, or replaces it. The tag names it when the file is completed. */
  add(upload: PartedUpload, number: number, content: Uint8Array): Promise<string>;
  complete(upload: PartedUpload, tags: readonly string[]): Promise<void>;
  /** Gives up an upload. A completed or already abandoned upload is no error. */
  abort(upload: PartedUpload): Promise<void>;
}

export type PartedUpload = { readonly path: string; readonly uploadId: string };

/** Optional methods of a store. */
type Feature = "open" | "stat" | "list" | "delete" | "parts";

/** Returns the store with these methods. Throws `unavailable`, with the feature and the first missing method. */
export function storeWith<Needed extends Feature>(
  store: FileStore,
  feature: string,
  needed: readonly Needed[],
): FileStore & Required<Pick<FileStore, Needed>> {
  const missing = needed.find((name) => store[name] === undefined);
  if (missing === undefined) return store as FileStore & Required<Pick<FileStore, Needed>>;
  throw new EngineError(
    "unavailable",
    `${feature} needs a file store with \`${missing}\`, which this one does not have: keep files in R2 or D1, or add it to the store`,
  );
}

/** Returns all files with this path prefix, in the order of their paths. */
export async function* filesBelow(
  store: Required<Pick<FileStore, "list">>,
  prefix: string,
): AsyncGenerator<FileStat> {
  let cursor: string | undefined;
  do {
    const page: Page<FileStat> = await store.list(
      cursor === undefined ? { prefix } : { prefix, cursor },
    );
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Store for the `outputFile` of tasks and for the files that they name. */
    readonly files?: FileStore;
  }
}
