// Bytes of a tenant's files. Each content is once in the file store, under a random name.
//
//   BLB1. The path of bytes is noted before they are written. A path without a file by the noted time is deleted, also
//         after a crash.
import type { Clock } from "../base/clock.ts";
import { Sha256 } from "../base/sha256.ts";
import type { BlobIndex } from "./blob-index.ts";
import { storeWith, type FileRange, type FileStore } from "./file-store.ts";

/** Written bytes. They are removed unless a file refers to them. */
export type NewBlob = { readonly path: string; readonly bytes: number; readonly sha256: string };

export type BlobPorts = {
  readonly store: FileStore;
  readonly index: BlobIndex;
  readonly clock: Clock;
  readonly randomId: () => string;
};

/** Maximum duration of an upload; its remains are removed after that. */
export const UPLOAD_TIME_MS = 24 * 60 * 60_000;
/** Number of paths removed at once. */
const REMOVED_AT_ONCE = 100;
const MEDIA_TYPE = "application/octet-stream";

export class Blobs {
  readonly #ports: BlobPorts;

  constructor(ports: BlobPorts) {
    this.#ports = ports;
  }

  /** Writes bytes to a new path. If a stream fails, its written part is removed. */
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

  /** Returns a new path, noted for removal. */
  async expect(): Promise<string> {
    const { index, clock, randomId } = this.#ports;
    const path = `blobs/${randomId()}`;
    await index.expect(path, clock.now() + UPLOAD_TIME_MS);
    return path;
  }

  /** Undefined if no file refers to these bytes. */
  async open(sha256: string, range?: FileRange): Promise<ReadableStream<Uint8Array> | undefined> {
    const store = storeWith(this.#ports.store, "reading stored files", ["open"]);
    const path = await this.#ports.index.pathOf(sha256);
    return path === undefined ? undefined : (await store.open(path, range))?.stream;
  }

  async read(sha256: string): Promise<Uint8Array | undefined> {
    const path = await this.#ports.index.pathOf(sha256);
    return path === undefined ? undefined : (await this.#ports.store.get(path))?.content;
  }

  /** Removes new blobs without a file. */
  async removeSurplus(blobs: ReadonlyArray<Pick<NewBlob, "path">>): Promise<void> {
    await this.remove(await this.#ports.index.surplus(blobs.map(({ path }) => path)));
  }

  /** Removes due paths. Returns true if there may be more. */
  async removeDue(): Promise<boolean> {
    const paths = await this.#ports.index.due(this.#ports.clock.now(), REMOVED_AT_ONCE);
    await this.remove(paths);
    return paths.length === REMOVED_AT_ONCE;
  }

  /** Removes bytes without a file. */
  async remove(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    const store = storeWith(this.#ports.store, "removing stored files", ["delete"]);
    await store.delete(paths);
    await this.#ports.index.removed(paths);
  }
}

/** Returns a stream that passes each piece through a function when it is read. */
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
