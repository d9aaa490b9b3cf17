/** A file on its way to a provider. */
export type FileToUpload = {
  /** Name in a form providers accept: letters, digits, `_`, `.`, `-` and blanks. */
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Each call starts at the beginning of the file. */
  readonly open: () => Promise<ReadableStream<Uint8Array>>;
};

/** File stored by a provider. */
export type UploadedFile = {
  /** Name of the file in messages: an id, or a URI. */
  readonly fileId: string;
  /** Milliseconds since the epoch. @default unknown */
  readonly expiresAtMs?: number;
};

/** File support of a model's provider. Failures of its calls are those of `LanguageModel`. */
export interface ModelFiles {
  /** Name of the applicable limits, such as `anthropic` or `openai-responses`. */
  readonly limits: string;
  /** Uploads every file, however small. @default false */
  readonly preferUpload?: boolean | undefined;
  /** Distinguishes accounts: a fingerprint of the address and the key. Uploads of one account are unknown to others. */
  readonly account?: () => Promise<string>;
  /** Absent for providers without file storage. */
  readonly upload?: (file: FileToUpload, options: UploadOptions) => Promise<UploadedFile>;
  readonly remove?: (fileId: string, options: { readonly signal: AbortSignal }) => Promise<void>;
}

export type UploadOptions = {
  readonly signal: AbortSignal;
  /** The same for every attempt; sent to providers that support it. */
  readonly idempotencyKey?: string;
  /** Required lifetime of the file. */
  readonly expiresInSeconds: number;
};
