// Files in an R2 bucket.
//
//   - R2 takes a stream only with its length. A stream of unknown length is sent in parts of 8 MiB, a short one whole.
//     At most one part is in memory.
//   - An incomplete upload is aborted, so partial files are never visible.
import type {
  FileParts,
  FileQuery,
  FileRange,
  FileStat,
  FileStore,
  OpenFile,
} from "../../files/file-store.ts";
import { partsOf } from "../../files/stream-bytes.ts";
import type { Page } from "../../runtime/page.ts";

type Metadata = { readonly httpMetadata: { readonly contentType: string } };

/** Metadata of an object in R2. */
type StoredObject = {
  readonly key: string;
  readonly size: number;
  readonly httpMetadata?: { readonly contentType?: string } | undefined;
};

type UploadedPart = { readonly partNumber: number; readonly etag: string };

interface MultipartUpload {
  readonly uploadId: string;
  uploadPart(number: number, content: Uint8Array): Promise<UploadedPart>;
  complete(parts: UploadedPart[]): Promise<unknown>;
  abort(): Promise<void>;
}

/** Used part of an R2 bucket. An `R2Bucket` fits it. */
export interface Bucket {
  put(key: string, content: string | Uint8Array, options: Metadata): Promise<unknown>;
  get(
    key: string,
    options?: { readonly range: { readonly offset: number; readonly length?: number } },
  ): Promise<
    | (StoredObject & {
        readonly body: ReadableStream<Uint8Array>;
        arrayBuffer(): Promise<ArrayBuffer>;
      })
    | null
  >;
  head(key: string): Promise<StoredObject | null>;
  list(options: {
    readonly prefix: string;
    readonly cursor?: string;
    readonly limit: number;
    readonly include: ("httpMetadata" | "customMetadata")[];
  }): Promise<{
    readonly objects: readonly StoredObject[];
    readonly truncated: boolean;
    readonly cursor?: string;
  }>;
  delete(keys: string[]): Promise<void>;
  createMultipartUpload(key: string, options: Metadata): Promise<MultipartUpload>;
  resumeMultipartUpload(key: string, uploadId: string): MultipartUpload;
}

const MIB = 1024 * 1024;
const STREAM_PART_BYTES = 8 * MIB;
/** Smallest part size of R2, so a client repeats as little as possible after an interruption. */
const UPLOAD_PART_BYTES = 5 * MIB;
const MAX_LISTED = 1000;
/** Maximum number of keys in one request. */
const MAX_DELETED = 1000;
/** R2's error for a completed or aborted upload. */
const NO_SUCH_UPLOAD = /10024|does not exist/i;

/** A tenant's files in an R2 bucket, under `<tenant>/<path>`. */
export class R2FileStore implements FileStore {
  readonly parts: FileParts;
  readonly #bucket: Bucket;
  readonly #prefix: string;

  constructor(bucket: Bucket, tenant: string) {
    this.#bucket = bucket;
    this.#prefix = `${encodeURIComponent(tenant)}/`;
    this.parts = partsIn(bucket, this.#prefix);
  }

  async put(
    path: string,
    content: string | Uint8Array | ReadableStream<Uint8Array>,
    mediaType: string,
  ): Promise<void> {
    const key = this.#prefix + path;
    if (content instanceof ReadableStream) return this.#putStream(key, content, mediaType);
    await this.#bucket.put(key, content, metadata(mediaType));
  }

  async get(path: string): Promise<{ content: Uint8Array; mediaType: string } | undefined> {
    const object = await this.#bucket.get(this.#prefix + path);
    if (object === null) return undefined;
    const { mediaType } = this.#statOf(object);
    return { content: new Uint8Array(await object.arrayBuffer()), mediaType };
  }

  async open(path: string, range?: FileRange): Promise<OpenFile | undefined> {
    const key = this.#prefix + path;
    const object = await (range === undefined
      ? this.#bucket.get(key)
      : this.#bucket.get(key, { range: { offset: 0, ...range } }));
    return object === null ? undefined : { ...this.#statOf(object), stream: object.body };
  }

  async stat(path: string): Promise<FileStat | undefined> {
    const object = await this.#bucket.head(this.#prefix + path);
    return object === null ? undefined : this.#statOf(object);
  }

  async list({ prefix = "", cursor, limit = MAX_LISTED }: FileQuery = {}): Promise<Page<FileStat>> {
    const { objects, ...rest } = await this.#bucket.list({
      prefix: this.#prefix + prefix,
      limit,
      include: ["httpMetadata"],
      ...(cursor === undefined ? undefined : { cursor }),
    });
    const items = objects.map((object) => this.#statOf(object));
    return rest.truncated && rest.cursor !== undefined
      ? { items, nextCursor: rest.cursor }
      : { items };
  }

  async delete(paths: string | readonly string[]): Promise<void> {
    const keys = [paths].flat().map((path) => this.#prefix + path);
    for (let at = 0; at < keys.length; at += MAX_DELETED)
      await this.#bucket.delete(keys.slice(at, at + MAX_DELETED));
  }

  async #putStream(
    key: string,
    stream: ReadableStream<Uint8Array>,
    mediaType: string,
  ): Promise<void> {
    let upload: MultipartUpload | undefined;
    const uploaded: UploadedPart[] = [];
    try {
      for await (const { part, isLast } of partsOf(stream, STREAM_PART_BYTES)) {
        if (isLast && upload === undefined) {
          await this.#bucket.put(key, part, metadata(mediaType));
          return;
        }
        upload ??= await this.#bucket.createMultipartUpload(key, metadata(mediaType));
        uploaded.push(await upload.uploadPart(uploaded.length + 1, part));
      }
      await upload?.complete(uploaded);
    } catch (error) {
      await upload?.abort().catch(() => undefined); // the bucket aborts it by itself after a week
      throw error;
    }
  }

  #statOf({ key, size, httpMetadata }: StoredObject): FileStat {
    return {
      path: key.slice(this.#prefix.length),
      mediaType: httpMetadata?.contentType ?? "application/octet-stream",
      bytes: size,
    };
  }
}

function partsIn(bucket: Bucket, prefix: string): FileParts {
  return {
    partBytes: UPLOAD_PART_BYTES,
    begin: async (path, mediaType) => {
      const { uploadId } = await bucket.createMultipartUpload(prefix + path, metadata(mediaType));
      return uploadId;
    },
    add: async ({ path, uploadId }, number, content) => {
      const upload = bucket.resumeMultipartUpload(prefix + path, uploadId);
      return (await upload.uploadPart(number, content)).etag;
    },
    complete: async ({ path, uploadId }, tags) => {
      const upload = bucket.resumeMultipartUpload(prefix + path, uploadId);
      await upload.complete(tags.map((etag, index) => ({ partNumber: index + 1, etag })));
    },
    abort: async ({ path, uploadId }) => {
      try {
        await bucket.resumeMultipartUpload(prefix + path, uploadId).abort();
      } catch (error) {
        if (!(error instanceof Error && NO_SUCH_UPLOAD.test(error.message))) throw error;
      }
    },
  };
}

function metadata(mediaType: string): Metadata {
  return { httpMetadata: { contentType: mediaType } };
}
