// A tenant's uploads at providers.

/** Key of an upload: the same bytes, at the same provider and account. */
export type UploadKey = {
  readonly provider: string;
  /** Fingerprint of the address and the key, as ids are valid only within one account. */
  readonly account: string;
  readonly sha256: string;
};

export type Upload = {
  readonly fileId: string;
  /** A model of the account, needed to remove the file again. */
  readonly model: string;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
};

/** Uploads of a tenant, except those that have expired or soon will. */
export interface UploadCache {
  get(key: UploadKey): Promise<Upload | undefined>;
  put(key: UploadKey, upload: Upload): Promise<void>;
  delete(key: UploadKey): Promise<void>;
  /** Returns all uploads of a file. */
  ofFile(sha256: string): Promise<ReadonlyArray<UploadKey & Upload>>;
}

/** Remaining lifetime below which an upload counts as expired, because the call that refers to it comes later. */
export const UPLOAD_MARGIN_MS = 5 * 60_000;
/** Maximum number of one tenant's uploads; the oldest are dropped. */
export const MAX_UPLOADS = 1000;

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Existing uploads at providers. @default each run uploads its files itself */
    readonly uploads?: UploadCache | undefined;
  }
}
