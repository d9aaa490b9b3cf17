// Stored files of a tenant: bytes under ids.
//
//   FLB1. A file that is too large, empty, cut short, different from its announcement, or over the quota leaves no data
//         behind.
//   FLB2. Equal bytes are stored once, under any number of names, and are removed with the last of their files.
//   FLB3. An expired file is visible only to active runs that started with it.
import { isoTime, type Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { Page } from "../runtime/page.ts";
import type { Blobs, NewBlob } from "./blobs.ts";
import { kindOf } from "./detection/kind-of.ts";
import { measured } from "./detection/file-facts.ts";
import { DETECTION_BYTES, mediaTypeOf } from "./detection/media-type.ts";
import { fileId } from "./file-id.ts";
import type { FileIndex, FileListing, FileQuota, FileRow } from "./file-index.ts";
import type { FileRef } from "./file-ref.ts";
import { limitedStream } from "./limited-stream.ts";
import type { NewFile, StoredFile, StoredFiles } from "./stored-files.ts";

/** Limits on the files of a tenant. */
export type FileLimits = {
  readonly maxBytes: number;
  readonly quota: FileQuota;
  /** Lifetime of a file without an own expiry, in milliseconds. */
  readonly ttlMs: number;
  /** Advice in the error about an oversized file. */
  readonly advice?: string;
};

export type FileLibraryPorts = {
  readonly index: FileIndex;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly randomId: () => string;
  readonly limits: FileLimits;
};

const MAX_NAME = 255;

export class FileLibrary implements StoredFiles {
  readonly #ports: FileLibraryPorts;

  constructor(ports: FileLibraryPorts) {
    this.#ports = ports;
  }

  async get(id: string): Promise<StoredFile | undefined> {
    const { index, blobs, clock } = this.#ports;
    const row = await index.get(id, clock.now());
    if (row === undefined) return undefined;
    return {
      ref: refOf(row),
      open: async (range) => {
        const stream = await blobs.open(row.sha256, range);
        if (stream !== undefined) return stream;
        throw new EngineError("not_found", `the file ${id} was deleted`);
      },
    };
  }

  async list(listing: Omit<FileListing, "nowMs">): Promise<Page<FileRef>> {
    const { index, clock } = this.#ports;
    const { items, ...rest } = await index.list({ ...listing, nowMs: clock.now() });
    return { items: items.map(refOf), ...rest };
  }

  /**
   * Throws `limit_exceeded` if there is no room for these bytes, and `payload_too_large` if one file may not be that
   * large.
   */
  async checkRoom(bytes: number): Promise<void> {
    if (bytes > this.#ports.limits.maxBytes) throw this.#tooLarge();
    await this.checkQuota(bytes);
  }

  /** Throws `limit_exceeded` if there is no room for so many more bytes. */
  async checkQuota(bytes: number): Promise<void> {
    const { index, limits } = this.#ports;
    const used = await index.usage();
    if (used.files >= limits.quota.files || used.bytes + bytes > limits.quota.bytes)
      throw this.#quotaExceeded();
  }

  async add(file: NewFile): Promise<FileRef> {
    const { blobs, limits } = this.#ports;
    const { content } = file;
    checkName(file.name);
    // An existing file needs no more room.
    if (file.id === undefined || (await this.get(file.id)) === undefined)
      await this.checkRoom(file.bytes ?? (content instanceof Uint8Array ? content.length : 1));
    const { stream, head } =
      content instanceof Uint8Array
        ? { stream: content, head: () => content.subarray(0, DETECTION_BYTES) }
        : limitedStream(content, {
            maxBytes: limits.maxBytes,
            headBytes: DETECTION_BYTES,
            tooLarge: () => this.#tooLarge(),
          });
    const blob = await blobs.write(stream);
    try {
      return await this.keep(file, blob, head());
    } finally {
      await blobs.removeSurplus([blob]).catch(() => undefined); // the sweeper removes it later
    }
  }

  /** Makes a file of written bytes; `head` is their beginning. The caller removes the blob if the file does not use it. */
  async keep(file: Omit<NewFile, "content">, blob: NewBlob, head: Uint8Array): Promise<FileRef> {
    const { index, clock, randomId, limits } = this.#ports;
    checkContent(file, blob);
    const { bytes, sha256, path } = blob;
    const createdAtMs = clock.now();
    const { id = fileId(randomId().replaceAll("-", "")), name, declared, runId } = file;
    const mediaType = mediaTypeOf(head, { name, declared, size: bytes });
    const expiresAtMs =
      file.expiresAtMs ?? (runId === undefined ? createdAtMs + limits.ttlMs : undefined);
    const row: FileRow = {
      id,
      name,
      mediaType,
      kind: kindOf(mediaType),
      bytes,
      sha256,
      ...(await sizeOf(head, { mediaType, bytes })),
      ...(runId === undefined ? undefined : { runId }),
      createdAtMs,
      ...(expiresAtMs === undefined ? undefined : { expiresAtMs }),
    };
    const kept = await index.add(row, { path, quota: limits.quota });
    if (kept === undefined) throw this.#quotaExceeded();
    if (kept.sha256 === sha256 && kept.name === name && kept.runId === runId) return refOf(kept);
    throw new EngineError(
      "conflict",
      `the id ${id} is in use by another file: use another Idempotency-Key`,
    );
  }

  use(runId: string, ids: readonly string[]): Promise<void> {
    return this.#ports.index.use(runId, ids);
  }

  /** Returns the active runs that started with a file, as far as the index of all runs knows. */
  runsUsing(id: string): Promise<readonly string[]> {
    return this.#ports.index.runsUsing(id);
  }

  async delete(id: string): Promise<boolean> {
    const { index, blobs } = this.#ports;
    const deleted = await index.delete(id);
    if (deleted) await blobs.removeDue().catch(() => undefined); // the sweeper removes it later
    return deleted;
  }

  #tooLarge(): EngineError {
    const { maxBytes, advice } = this.#ports.limits;
    const then = advice === undefined ? "" : `: ${advice}`;
    return new EngineError(
      "payload_too_large",
      `a file may have at most ${maxBytes} bytes here, got more${then}`,
    );
  }

  #quotaExceeded(): EngineError {
    const { files, bytes } = this.#ports.limits.quota;
    return new EngineError(
      "limit_exceeded",
      `there is no room for this file: a tenant stores at most ${files} files and ${bytes} bytes, so delete some first`,
    );
  }
}

/**
 * Throws `invalid_input` for an unprintable name. Slashes and dots are allowed, as the name is no path in the store.
 */
function checkName(name: string): void {
  if (name !== "" && name.length <= MAX_NAME && !/[\u0000-\u001f\u007f]/.test(name)) return;
  throw new EngineError(
    "invalid_input",
    `a file's name must have 1 to ${MAX_NAME} characters and no control characters, got ${preview(name)}`,
    { issues: [{ path: "/name", message: `expected 1 to ${MAX_NAME} printable characters` }] },
  );
}

/** Throws `invalid_input` if the bytes differ from the announced ones (FLB1). */
function checkContent({ bytes, sha256 }: Pick<NewFile, "bytes" | "sha256">, blob: NewBlob): void {
  if (blob.bytes === 0)
    throw new EngineError("invalid_input", "the body must be the file, got nothing");
  if (bytes !== undefined && bytes !== blob.bytes)
    throw new EngineError(
      "invalid_input",
      `the file was to have ${bytes} bytes, got ${blob.bytes}: it was cut short, or its length is wrong`,
    );
  if (sha256 !== undefined && sha256 !== blob.sha256)
    throw new EngineError(
      "invalid_input",
      `the file was to have the SHA-256 ${sha256}, got ${blob.sha256}: send it again`,
    );
}

/** Headers of images have their sizes; other measures need the whole file. */
async function sizeOf(
  head: Uint8Array,
  { mediaType, bytes }: { readonly mediaType: string; readonly bytes: number },
): Promise<Awaited<ReturnType<typeof measured>>> {
  if (head.length < bytes && kindOf(mediaType) !== "image") return {};
  return measured(head, mediaType);
}

function refOf({ createdAtMs, expiresAtMs, ...row }: FileRow): FileRef {
  const { runId: _, ...facts } = row;
  return {
    ...facts,
    createdAt: isoTime(createdAtMs),
    ...(expiresAtMs === undefined ? undefined : { expiresAt: isoTime(expiresAtMs) }),
  };
}
