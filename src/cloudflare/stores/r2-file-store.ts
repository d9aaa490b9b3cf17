import type { FileStore } from "../../files/file-store.ts";

/** The part of an R2 bucket that the store needs; an `R2Bucket` fits it. */
export interface Bucket {
  put(
    key: string,
    content: string | Uint8Array,
    options: { readonly httpMetadata: { readonly contentType: string } },
  ): Promise<unknown>;
  get(key: string): Promise<{
    readonly httpMetadata?: { readonly contentType?: string } | undefined;
    arrayBuffer(): Promise<ArrayBuffer>;
  } | null>;
}

/** A tenant's files in an R2 bucket, under `<tenant>/<path>`. */
export class R2FileStore implements FileStore {
  readonly #bucket: Bucket;
  readonly #prefix: string;

  constructor(bucket: Bucket, tenant: string) {
    this.#bucket = bucket;
    this.#prefix = `${encodeURIComponent(tenant)}/`;
  }

  async put(path: string, content: string | Uint8Array, mediaType: string): Promise<void> {
    await this.#bucket.put(this.#prefix + path, content, {
      httpMetadata: { contentType: mediaType },
    });
  }

  async get(path: string): Promise<{ content: Uint8Array; mediaType: string } | undefined> {
    const object = await this.#bucket.get(this.#prefix + path);
    if (object === null) return undefined;
    return {
      content: new Uint8Array(await object.arrayBuffer()),
      mediaType: object.httpMetadata?.contentType ?? "application/octet-stream",
    };
  }
}
