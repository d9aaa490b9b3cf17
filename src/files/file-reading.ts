// Files that become text: documents by their readers, sound by whoever writes it down.
import { EngineError } from "../base/error.ts";
import type { RunServices } from "../events/run-services.ts";
import type { RunFile } from "./file-ref.ts";

/** Makes documents of some media types into text. */
export type FileReader = {
  /** In lower case, without parameters. */
  readonly mediaTypes: readonly string[];
  /** Throws `invalid_input` for bytes that are no such document, `limit_exceeded` for what unpacks to too much. */
  readonly read: (
    bytes: Uint8Array,
    limits: { readonly maxCharacters: number },
  ) => Promise<{ readonly text: string }>;
};

/** Writes down what is said. */
export interface Transcriber {
  /** Media types that it listens to. */
  readonly mediaTypes: readonly string[];
  transcribe(
    sound: { readonly bytes: Uint8Array; readonly mediaType: string; readonly name: string },
    options: { readonly signal: AbortSignal },
  ): Promise<string>;
}

/** A PDF as several of at most so many pages each: `splitPdf` of `edgecrew/files/pdf`. */
export type PdfSplitter = (bytes: Uint8Array, maxPages: number) => Promise<readonly Uint8Array[]>;

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Make documents into text, for models that do not take them and for `read_file`. @default documents are only named */
    readonly fileReaders?: readonly FileReader[] | undefined;
    /** Writes down sound for models that do not listen. @default sound is only named */
    readonly transcriber?: Transcriber | undefined;
    /** Cuts PDFs in mode `chunk`. @default those that are too long become text */
    readonly splitPdf?: PdfSplitter | undefined;
  }
}

/** Of a document's text: more than any model reads. */
const MAX_DOCUMENT = 4_000_000;

/** Who makes documents of this type into text here. */
export function readerFor(
  { fileReaders = [] }: RunServices,
  mediaType: string,
): FileReader | undefined {
  return fileReaders.find(({ mediaTypes }) => mediaTypes.includes(mediaType));
}

/** The text of a document. Throws `invalid_input` where nobody reads it. */
export async function readDocument(
  services: RunServices,
  { mediaType, name }: RunFile,
  bytes: Uint8Array,
): Promise<string> {
  const reader = readerFor(services, mediaType);
  if (reader === undefined)
    throw new EngineError("invalid_input", `nobody reads ${name} (${mediaType})`);
  return (await reader.read(bytes, { maxCharacters: MAX_DOCUMENT })).text;
}
