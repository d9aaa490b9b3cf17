// The bytes of a tenant's files, each content once in the file store, under names that nobody chose.
//
//   - Where bytes are going to be is noted before they are written. What no file names by then is deleted, also after a crash.
import type { Clock } from "../base/clock.ts";
import { Sha256 } from "../base/sha256.ts";
import type { BlobIndex } from "./blob-index.ts";
import { storeWith, type FileRange, type FileStore } from "./file-store.ts";

/** Bytes that were written, and are removed unless a file names them. */
export type NewBlob = { readonly path: string; readonly bytes: number; readonly sha256: string };

export type BlobPorts = {
  readonly store: FileStore;
  readonly index: BlobIndex;
  readonly clock: Clock;
  readonly randomId: () => string;
};

/** How long an upload may take; what is left of it is removed after that. */
export const UPLOAD_TIME_MS = 24 * 60 * 60_000;
/** Paths that are removed in one go. */
const REMOVED_AT_ONCE = 100;
const MEDIA_TYPE = "application/octet-stream";

export class Blobs {
  readonly #ports: BlobPorts;

  constructor(ports: BlobPorts) {
    this.#ports = ports;
  }

  /** Writes bytes to a path of their own. What was written of a stream that fails is removed. */
  async write(content: Uint8Array | ReadableStream<Uint8Array>): Promise<NewBlob> {
    const path = await this.expect();
    const digest = new Sha256();
    let bytes = 0;
    const measured = (piece: Uint8Array): Uint8Array => {
      digest.update(piece);
      bytes += piece.length;
      return piece;
    };
    try {
      const body =
        content instanceof Uint8Array ? measured(content) : mappedStream(content, measured);
      await this.#ports.store.put(path, body, MEDIA_TYPE);
    } catch (error) {
      await this.remove([path]).catch(() => undefined); // the sweeper removes it later
      throw error;
    }
    return { path, bytes, sha256: digest.hex() };
  }

  /** A new path, noted for removal. */
  async expect(): Promise<string> {
    const { index, clock, randomId } = this.#ports;
    const path = `blobs/${randomId()}`;
    await index.expect(path, clock.now() + UPLOAD_TIME_MS);
    return path;
  }

  /** Undefined for bytes that no file names. */
  async open(sha256: string, range?: FileRange): Promise<ReadableStream<Uint8Array> | undefined> {
    const store = storeWith(this.#ports.store, "reading stored files", ["open"]);
    const path = await this.#ports.index.pathOf(sha256);
    return path === undefined ? undefined : (await store.open(path, range))?.stream;
  }

  async read(sha256: string): Promise<Uint8Array | undefined> {
    const path = await this.#ports.index.pathOf(sha256);
    return path === undefined ? undefined : (await this.#ports.store.get(path))?.content;
  }

  /** Removes those of new blobs that no file names. */
  async removeSurplus(blobs: ReadonlyArray<Pick<NewBlob, "path">>): Promise<void> {
    await this.remove(await this.#ports.index.surplus(blobs.map(({ path }) => path)));
  }

  /** Removes what is due. Answers whether there may be more. */
  async removeDue(): Promise<boolean> {
    const paths = await this.#ports.index.due(this.#ports.clock.now(), REMOVED_AT_ONCE);
    await this.remove(paths);
    return paths.length === REMOVED_AT_ONCE;
  }

  /** Removes bytes that no file names. */
  async remove(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    const store = storeWith(this.#ports.store, "removing stored files", ["delete"]);
    await store.delete(paths);
    await this.#ports.index.removed(paths);
  }
}

/** A stream whose pieces pass through a function, one at a time as they are read. */
function mappedStream(
  stream: ReadableStream<Uint8Array>,
  map: (piece: Uint8Array) => Uint8Array,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(map(value));
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
