// An R2 bucket in this process, for tests that look into it: its keys, and the uploads that are neither completed nor given up.
import type { Bucket } from "../../src/cloudflare/stores/r2-file-store.ts";

type Kept = { readonly content: Uint8Array; readonly contentType: string };
type Upload = { readonly key: string; readonly contentType: string; readonly parts: Uint8Array[] };

const MIN_PART_BYTES = 5 * 1024 * 1024;

export class InMemoryBucket implements Bucket {
  readonly objects = new Map<string, Kept>();
  readonly uploads = new Map<string, Upload>();
  /** Called with the bytes of each part and object before they are kept. */
  onBytes: (bytes: number) => void | Promise<void> = () => undefined;
  #ids = 0;

  get keys(): readonly string[] {
    return [...this.objects.keys()].toSorted();
  }

  async put(...[key, content, { httpMetadata }]: Parameters<Bucket["put"]>): Promise<void> {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content.slice();
    await this.onBytes(bytes.length);
    this.objects.set(key, { content: bytes, contentType: httpMetadata.contentType });
  }

  async get(...[key, options]: Parameters<Bucket["get"]>) {
    const kept = this.objects.get(key);
    if (kept === undefined) return null;
    const { offset = 0, length = Number.POSITIVE_INFINITY } = options?.range ?? {};
    if (offset > kept.content.length)
      throw new Error("get: The requested range is not satisfiable (10039)");
    const piece = kept.content.slice(offset, offset + length);
    return {
      ...described(key, kept),
      body: new Response(piece).body as ReadableStream<Uint8Array>,
      arrayBuffer: async () => piece.buffer,
    };
  }

  async head(key: string) {
    const kept = this.objects.get(key);
    return kept === undefined ? null : described(key, kept);
  }

  async list({ prefix, cursor = "", limit }: Parameters<Bucket["list"]>[0]) {
    const keys = this.keys.filter((key) => key.startsWith(prefix) && key > cursor);
    const shown = keys.slice(0, limit);
    const objects = shown.map((key) => described(key, this.objects.get(key) as Kept));
    const truncated = keys.length > limit;
    return { objects, truncated, ...(truncated ? { cursor: shown.at(-1) ?? "" } : undefined) };
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.objects.delete(key);
  }

  async createMultipartUpload(...[key, options]: Parameters<Bucket["createMultipartUpload"]>) {
    const uploadId = `upload-${++this.#ids}`;
    const { contentType } = options.httpMetadata;
    this.uploads.set(uploadId, { key, contentType, parts: [] });
    return this.resumeMultipartUpload(key, uploadId);
  }

  resumeMultipartUpload(key: string, uploadId: string) {
    const open = (): Upload => {
      const upload = this.uploads.get(uploadId);
      if (upload?.key === key) return upload;
      throw new Error("The specified multipart upload does not exist. (10024)");
    };
    return {
      uploadId,
      uploadPart: async (partNumber: number, content: Uint8Array) => {
        const { parts } = open();
        await this.onBytes(content.length);
        parts[partNumber - 1] = content.slice();
        return { partNumber, etag: `${uploadId}/${partNumber}` };
      },
      complete: async (uploaded: readonly { partNumber: number; etag: string }[]) => {
        const { parts, contentType } = open();
        const used = uploaded.map(({ partNumber }) => parts[partNumber - 1] as Uint8Array);
        const [first] = used;
        const before = used.slice(0, -1);
        if (before.some((part) => part.length !== first?.length || part.length < MIN_PART_BYTES))
          throw new Error("All non-trailing parts must have the same length. (10048)");
        const content = new Uint8Array(
          await new Blob(used.map((part) => part.slice())).arrayBuffer(),
        );
        this.objects.set(key, { content, contentType });
        this.uploads.delete(uploadId);
      },
      abort: async () => {
        open();
        this.uploads.delete(uploadId);
      },
    };
  }
}

function described(key: string, { content, contentType }: Kept) {
  return { key, size: content.length, httpMetadata: { contentType } };
}
