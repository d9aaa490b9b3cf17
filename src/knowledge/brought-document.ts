import type { DocumentSource } from "./knowledge-source.ts";

/** Bytes of a document, and their type, if known. */
export type DocumentBytes = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mediaType?: string;
  /** Name of the reader, or a media type; overrides the document's own. */
  readonly type?: string;
};

/** A document with its own loader, for bytes outside of any `DocumentSource`. */
export type BroughtDocument = Pick<DocumentSource, "name" | "chunking" | "encoding"> & {
  readonly load: (signal: AbortSignal) => Promise<DocumentBytes>;
};
