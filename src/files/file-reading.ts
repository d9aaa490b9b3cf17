// Makes text of files: readers for documents, a transcriber for sound.
import { EngineError } from "../base/error.ts";
import type { RunServices } from "../events/run-services.ts";
import type { RunFile } from "./file-ref.ts";

/** Makes documents of some media types into text. */
export type FileReader = {
  /** Media types in lower case, without parameters. */
  readonly mediaTypes: readonly string[];
  /** Throws `invalid_input` for bytes of another format, `limit_exceeded` if it unpacks to too much. */
  readonly read: (
    bytes: Uint8Array,
    limits: { readonly maxCharacters: number },
  ) => Promise<{ readonly text: string }>;
};

/** Turns speech into text. */
export interface Transcriber {
  /** Accepted media types. */
  readonly mediaTypes: readonly string[];
  transcribe(
    sound: { readonly bytes: Uint8Array; readonly mediaType: string; readonly name: string },
    options: { readonly signal: AbortSignal },
  ): Promise<string>;
}

/** Splits a PDF into several with a limited number of pages: `splitPdf` of `edgecrew/files/pdf`. */
export type PdfSplitter = (bytes: Uint8Array, maxPages: number) => Promise<readonly Uint8Array[]>;

declare module "../events/run-services.ts" {
  interface RunServices {
    /**
     * Readers that make text of documents, for models without document support and for `read_file`. @default documents
     * are only named
     */
    readonly fileReaders?: readonly FileReader[] | undefined;
    /** Transcribes sound for models without audio support. @default sound is only named */
    readonly transcriber?: Transcriber | undefined;
    /** Splits PDFs in mode `chunk`. @default PDFs beyond the limits become text */
    readonly splitPdf?: PdfSplitter | undefined;
  }
}

/** Maximum length of a document's text, more than any model reads. */
const MAX_DOCUMENT = 4_000_000;

/** Returns the reader for documents of this type. */
export function readerFor(
  { fileReaders = [] }: RunServices,
  mediaType: string,
): FileReader | undefined {
  return fileReaders.find(({ mediaTypes }) => mediaTypes.includes(mediaType));
}

/** Returns the text of a document. Throws `invalid_input` without a reader for it. */
export async function readDocument(
  services: RunServices,
  { mediaType, name }: RunFile,
  bytes: Uint8Array,
): Promise<string> {
  const reader = readerFor(services, mediaType);
  if (reader === undefined)
    throw new EngineError("invalid_input", `no reader for ${name} (${mediaType})`);
  return (await reader.read(bytes, { maxCharacters: MAX_DOCUMENT })).text;
}
