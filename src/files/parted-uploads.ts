// Uploads in several requests: parts of equal size, joined in the file store.
//
//   PUP1. A part counts once it is stored and noted. If a request breaks off, its complete parts count, and the client
//         continues after them.
//   PUP2. One request at a time adds to an upload.
//   PUP3. An upload still incomplete after 24 hours is given up.
import type { Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { Sha256 } from "../base/sha256.ts";
import { UPLOAD_TIME_MS, type Blobs } from "./blobs.ts";
import { DETECTION_BYTES } from "./detection/media-type.ts";
import { fileId } from "./file-id.ts";
import type { FileLibrary } from "./file-library.ts";
import type { FileRef } from "./file-ref.ts";
import { storeWith, type FileStore } from "./file-store.ts";
import { limitedStream } from "./limited-stream.ts";
import { bytesOf, partsOf } from "./stream-bytes.ts";
import type { OpenUpload, UploadData, UploadIndex } from "./upload-index.ts";

type Ports = {
  readonly store: FileStore;
  readonly blobs: Blobs;
  readonly library: FileLibrary;
  readonly index: UploadIndex;
  readonly clock: Clock;
  readonly randomId: () => string;
};

/** Progress of an upload. */
export type UploadProgress = Pick<OpenUpload, "id" | "bytes" | "received"> & {
  readonly dueAtMs?: number;
};

const MAX_UPLOAD_BYTES = 5_000_000_000;
/** Maximum duration of storing one part. */
const HOLD_MS = 60_000;
const MEDIA_TYPE = "application/octet-stream";
const FEATURE = "an upload in several requests";
const SWEPT_AT_ONCE = 100;

export class PartedUploads {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** The size of parts. */
  get partBytes(): number {
    return this.#store.parts.partBytes;
  }

  /** Throws `unavailable` if the file store cannot join files. */
  async begin(bytes: number, data: Omit<UploadData, "tags">): Promise<UploadProgress> {
    const { blobs, library, index, clock, randomId } = this.#ports;
    const { parts } = this.#store;
    if (bytes > MAX_UPLOAD_BYTES)
      throw new EngineError(
        "payload_too_large",
        `an upload may have at most ${MAX_UPLOAD_BYTES} bytes, got ${bytes}`,
      );
    await library.checkQuota(bytes);
    const path = await blobs.expect();
    const uploadId = await parts.begin(path, MEDIA_TYPE);
    const upload: OpenUpload = {
      id: fileId(randomId().replaceAll("-", "")),
      path,
      uploadId,
      bytes,
      received: 0,
      data: { ...data, tags: [] },
      dueAtMs: clock.now() + UPLOAD_TIME_MS,
    };
    await index.add(upload);
    return upload;
  }

  /** Returns the progress of an upload. A complete one has the size of its file. Undefined for an unknown id. */
  async progress(id: string): Promise<UploadProgress | undefined> {
    const upload = await this.#ports.index.get(id);
    if (upload !== undefined) return upload;
    const file = await this.#ports.library.get(id);
    return file && { id, bytes: file.ref.bytes, received: file.ref.bytes };
  }

  /**
   * Adds the body of a request at `offset`. Throws `conflict` if the upload is at another offset, or if another request
   * is adding to it.
   */
  async append(
    id: string,
    { offset, body }: { readonly offset: number; readonly body: ReadableStream<Uint8Array> },
  ): Promise<UploadProgress> {
    const { index, clock, randomId } = this.#ports;
    const holder = randomId();
    const nowMs = clock.now();
    const held = await index.hold(id, holder, { nowMs, untilMs: nowMs + HOLD_MS });
    const upload = await index.get(id);
    if (upload === undefined) throw noUpload(id);
    if (!held) throw new EngineError("conflict", `another request is adding to the upload ${id}`);
    try {
      if (upload.received !== offset)
        throw new EngineError(
          "conflict",
          `the upload ${id} goes on at ${upload.received}, got Upload-Offset: ${offset}`,
        );
      const added = await this.#addParts(upload, { holder, body });
      if (added.received === added.bytes) await this.#finish(added);
      return added;
    } finally {
      await index.release(id, holder).catch(() => undefined); // the lock ends after a minute
    }
  }

  async giveUp(id: string): Promise<void> {
    const upload = await this.#ports.index.get(id);
    if (upload === undefined) throw noUpload(id);
    await this.#abort(upload);
  }

  /** Gives up expired uploads. */
  async sweep(): Promise<void> {
    const { index, clock } = this.#ports;
    for (const upload of await index.due(clock.now(), SWEPT_AT_ONCE)) await this.#abort(upload);
  }

  get #store() {
    return storeWith(this.#ports.store, FEATURE, ["parts", "open", "stat"]);
  }

  async #addParts(
    upload: OpenUpload,
    { holder, body }: { readonly holder: string; readonly body: ReadableStream<Uint8Array> },
  ): Promise<OpenUpload> {
    const { index, clock } = this.#ports;
    const { parts } = this.#store;
    let current = upload;
    const { stream } = limitedStream(body, {
      maxBytes: upload.bytes - upload.received,
      headBytes: 0,
      tooLarge: () =>
        new EngineError("payload_too_large", `the upload has ${upload.bytes} bytes, got more`),
    });
    for await (const { part } of partsOf(stream, parts.partBytes)) {
      const isEnd = part.length === current.bytes - current.received;
      if (part.length === 0 || (!isEnd && part.length < parts.partBytes)) break;
      const { tags, digest: before, ...data } = current.data;
      const tag = await parts.add(current, tags.length + 1, part);
      const digest = new Sha256(before).update(part);
      const { state } = digest;
      current = {
        ...current,
        received: current.received + part.length,
        data: {
          ...data,
          tags: [...tags, tag],
          ...(isEnd ? { sha256: digest.hex() } : state && { digest: state }),
        },
      };
      if (!(await index.advance(current, holder, clock.now() + HOLD_MS)))
        throw new EngineError("conflict", `another request is adding to the upload ${upload.id}`);
    }
    return current;
  }

  /** Safe to repeat: the parts may already be joined. */
  async #finish({ id, path, bytes, data, ...upload }: OpenUpload): Promise<FileRef> {
    const { library, blobs, index } = this.#ports;
    const store = this.#store;
    const { tags, sha256 = "", name, declared, expiresAtMs } = data;
    if ((await store.stat(path)) === undefined)
      await store.parts.complete({ path, ...upload }, tags);
    const opened = await store.open(path, { offset: 0, length: Math.min(bytes, DETECTION_BYTES) });
    const head = opened && (await bytesOf(opened.stream));
    const blob = { path, bytes, sha256 };
    const end = async (): Promise<void> => {
      await index.delete(id);
      await blobs.removeSurplus([blob]).catch(() => undefined); // the sweeper removes it later
    };
    try {
      const kept = { id, name, declared, expiresAtMs };
      const file = await library.keep(kept, blob, head ?? new Uint8Array());
      await end();
      return file;
    } catch (error) {
      if (EngineError.is(error) && !error.retryable) await end();
      throw error;
    }
  }

  async #abort(upload: OpenUpload): Promise<void> {
    await this.#store.parts.abort(upload);
    await this.#ports.blobs.remove([upload.path]);
    await this.#ports.index.delete(upload.id);
  }
}

function noUpload(id: string): EngineError {
  return new EngineError("not_found", `there is no upload ${JSON.stringify(id)}`);
}
