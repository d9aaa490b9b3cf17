/** What a file is, as far as models and readers are concerned. */
export type FileKind = "image" | "pdf" | "text" | "document" | "audio" | "video" | "other";

/** What happens to a file that a model's provider does not take as it is. */
export type FileMode = "auto" | "warn" | "strict" | "chunk";

/** What is known of a file's content. */
export type FileFacts = {
  readonly mediaType: string;
  readonly kind: FileKind;
  readonly bytes?: number;
  /** In hexadecimal. */
  readonly sha256?: string;
  /** In pixels. */
  readonly width?: number;
  readonly height?: number;
  readonly pages?: number;
  readonly seconds?: number;
};

/** Where the bytes of a run's file are: in the tenant's file store, in the run's workspace, among the stored files, or elsewhere. */
export type FilePlace =
  | { readonly path: string }
  | { readonly workspace: string }
  | { readonly id: string }
  | { readonly url: string };

/**
 * A file of a run, as messages, journals and events name it: never its bytes. What a model is sent in its place is decided before
 * each call.
 */
export type RunFile = FileFacts & {
  /** The name that agents use for it, unique in its piece of work. */
  readonly key: string;
  /** The name of the file itself. */
  readonly name: string;
  readonly at: FilePlace;
  /** @default "auto" */
  readonly mode?: FileMode;
  /** Whether a provider may load it from its URL by itself. @default true */
  readonly byReference?: false;
  /** The work goes on without it where it cannot be had. @default it fails */
  readonly optional?: true;
};
