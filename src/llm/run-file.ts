/** Kind of a file for models and readers. */
export type FileKind = "image" | "pdf" | "text" | "document" | "audio" | "video" | "other";

/** Handling of a file a model's provider does not accept unchanged. */
export type FileMode = "auto" | "warn" | "strict" | "chunk";

/** Known facts about a file's content. */
export type FileFacts = {
  readonly mediaType: string;
  readonly kind: FileKind;
  readonly bytes?: number;
  /** SHA-256 in hexadecimal. */
  readonly sha256?: string;
  /** Width in pixels. */
  readonly width?: number;
  readonly height?: number;
  readonly pages?: number;
  readonly seconds?: number;
};

/** Place of a run file's bytes: the tenant's file store, the run's workspace, the stored files, or elsewhere. */
export type FilePlace =
  | { readonly path: string }
  | { readonly workspace: string }
  | { readonly id: string }
  | { readonly url: string };

/**
 * File of a run, as named in messages, journals and events: never its bytes. The form for a model is decided before
 * each call.
 */
export type RunFile = FileFacts & {
  /** Name for agents, unique in its piece of work. */
  readonly key: string;
  /** The name of the file itself. */
  readonly name: string;
  readonly at: FilePlace;
  /** @default "auto" */
  readonly mode?: FileMode;
  /** False if the provider may not load it from its URL itself. @default true */
  readonly byReference?: false;
  /** Lets the work continue without an unavailable file. @default it fails */
  readonly optional?: true;
};
