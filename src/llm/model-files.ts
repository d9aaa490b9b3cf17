/** A file on its way to a provider. */
export type FileToUpload = {
  /** As providers accept it: letters, digits, `_`, `.`, `-` and blanks. */
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Each call begins anew. */
  readonly open: () => Promise<ReadableStream<Uint8Array>>;
};

/** A file that a provider keeps for us. */
export type UploadedFile = {
  /** What messages name it by: an id, or a URI. */
  readonly fileId: string;
  /** Milliseconds since the epoch. @default unknown */
  readonly expiresAtMs?: number;
};

/** How a model's provider takes files. Failures of its calls are those of `LanguageModel`. */
export interface ModelFiles {
  /** The name of the limits that hold, such as `anthropic` or `openai-responses`. */
  readonly limits: string;
  /** Uploads every file, however small. @default false */
  readonly preferUpload?: boolean | undefined;
  /** Tells accounts apart: a fingerprint of the address and the key. What is uploaded with one is unknown to others. */
  readonly account?: () => Promise<string>;
  /** Absent for providers that keep no files. */
  readonly upload?: (file: FileToUpload, options: UploadOptions) => Promise<UploadedFile>;
  readonly remove?: (fileId: string, options: { readonly signal: AbortSignal }) => Promise<void>;
}

export type UploadOptions = {
  readonly signal: AbortSignal;
  /** The same for every attempt; sent on where the provider takes one. */
  readonly idempotencyKey?: string;
  /** How long the file is needed. */
  readonly expiresInSeconds: number;
};
