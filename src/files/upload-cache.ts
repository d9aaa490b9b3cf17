// What providers already keep for a tenant.

/** What is uploaded: the same bytes, with the same provider and account. */
export type UploadKey = {
  readonly provider: string;
  /** Fingerprint of the address and the key: ids of one account mean nothing to another. */
  readonly account: string;
  readonly sha256: string;
};

export type Upload = {
  readonly fileId: string;
  /** A model of the account: by it the file can be removed again. */
  readonly model: string;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
};

/** The uploads of a tenant. Those that have expired, or are about to, are not found. */
export interface UploadCache {
  get(key: UploadKey): Promise<Upload | undefined>;
  put(key: UploadKey, upload: Upload): Promise<void>;
  delete(key: UploadKey): Promise<void>;
  /** All uploads of a file. */
  ofFile(sha256: string): Promise<ReadonlyArray<UploadKey & Upload>>;
}

/** An upload that expires sooner is as good as gone: the call that names it comes later. */
export const UPLOAD_MARGIN_MS = 5 * 60_000;
/** Of one tenant; the oldest go. */
export const MAX_UPLOADS = 1000;

declare module "../events/run-services.ts" {
  interface RunServices {
    /** What providers already keep. @default each run uploads anew */
    readonly uploads?: UploadCache | undefined;
  }
}
