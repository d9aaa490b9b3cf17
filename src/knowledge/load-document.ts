// Loading of documents, from their source to their text.
import { digestBytes, fromBase64, toBase64Url } from "../base/bytes.ts";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { outboundBytes } from "../security/outbound-bytes.ts";
import type { DocumentBytes, BroughtDocument } from "./brought-document.ts";
import type { DocumentReader, DocumentText } from "./document-text.ts";
import type { KnowledgeService } from "./knowledge-service.ts";
import type { DocumentSource } from "./knowledge-source.ts";
import { encodingOf } from "./readers/decode-text.ts";
import {
  BINARY_FORMATS,
  DOCUMENT_FORMATS,
  UNREAD_FORMATS,
  type DocumentFormat,
} from "./readers/document-formats.ts";

/** Limits of a document's bytes, and of its text in UTF-16 units. */
export const DOCUMENT_LIMITS = { maxBytes: 20 * 1024 * 1024, maxCharacters: 4_000_000 };

const PAGE_TIMEOUT_MS = 30_000;

export type LoadedDocument = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly reader: DocumentReader;
  /** Hash of the bytes, SHA-256 in base64url. */
  readonly hash: string;
  /** Encoding of a text, as its source or its media type names it. */
  readonly encoding?: string;
};

/** Returns the bytes of a document and their reader. Throws `invalid_input`, `not_found` or `limit_exceeded`. */
export async function loadDocument(
  service: KnowledgeService,
  source: DocumentSource | BroughtDocument,
  signal: AbortSignal,
): Promise<LoadedDocument> {
  const { bytes, mediaType, type } = await bytesOf(service, source, signal);
  if (bytes.length > DOCUMENT_LIMITS.maxBytes) throw tooLarge();
  const typed = type === undefined ? source : { ...source, type };
  const reader = readerOf(service.readers, typed, mediaType);
  // A text of the source itself is Unicode.
  const named = "encoding" in source && !("text" in source) ? source.encoding : undefined;
  const encoding = named ?? encodingOf(mediaType ?? "");
  return {
    bytes,
    reader,
    hash: toBase64Url(await digestBytes(bytes)),
    ...(encoding === undefined ? undefined : { encoding }),
  };
}

async function bytesOf(
  { files, outbound }: KnowledgeService,
  source: DocumentSource | BroughtDocument,
  signal: AbortSignal,
): Promise<DocumentBytes> {
  if ("load" in source) return source.load(signal);
  if ("text" in source)
    return {
      bytes: new Uint8Array(new TextEncoder().encode(source.text)),
      mediaType: "text/plain",
    };
  if ("base64" in source) {
    const bytes = bytesIn(source.base64);
    return source.mediaType === undefined ? { bytes } : { bytes, mediaType: source.mediaType };
  }
  if ("path" in source) {
    if (files === undefined)
      throw new EngineError("invalid_input", "the document is a file, and there is no file store");
    const file = await files.get(source.path);
    if (file === undefined)
      throw new EngineError("not_found", `there is no file ${preview(source.path)}`);
    return { bytes: new Uint8Array(file.content), mediaType: file.mediaType };
  }
  const { bytes, ...rest } = await outboundBytes(source.url, {
    field: "url",
    ...outbound,
    signal,
    timeoutMs: PAGE_TIMEOUT_MS,
    maxBytes: DOCUMENT_LIMITS.maxBytes,
  });
  if (bytes === undefined) throw tooLarge();
  return { bytes, ...rest };
}

function tooLarge(): EngineError {
  return new EngineError(
    "limit_exceeded",
    `the document has more than ${DOCUMENT_LIMITS.maxBytes} bytes, which is all that is read: split it up`,
  );
}

/** Returns the text of a document. Throws `invalid_input` for invalid bytes, `limit_exceeded` for too much text. */
export async function readDocument({
  bytes,
  reader,
  encoding,
}: LoadedDocument): Promise<DocumentText> {
  return reader.read(
    bytes,
    encoding === undefined ? DOCUMENT_LIMITS : { ...DOCUMENT_LIMITS, encoding },
  );
}

function readerOf(
  readers: readonly DocumentReader[],
  { name, type, ...source }: DocumentSource | (BroughtDocument & { readonly type?: string }),
  mediaType = "",
): DocumentReader {
  const known = readers.map((reader) => reader.name).join(", ");
  if (type !== undefined) {
    const named = readers.find((each) => isNamed(each, type));
    if (named !== undefined) return named;
    throw new EngineError(
      "invalid_input",
      `there is no reader for ${preview(type)}${hintOf(FORMATS.find((each) => isNamed(each, type)))}; there are ${known}`,
    );
  }
  const place = (
    "url" in source ? new URL(source.url).pathname : "path" in source ? source.path : name
  ).toLowerCase();
  const plain = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  // A text is not unpacked, although it has the name of the PDF from which it comes.
  const isText = "text" in source;
  const candidates: readonly (DocumentFormat | DocumentReader)[] = [...readers, ...FORMATS].filter(
    (each) => !isText || !BINARY_FORMATS.includes(each.name),
  );
  const found =
    candidates.find(({ extensions }) => extensions.some((ending) => place.endsWith(ending))) ??
    candidates.find(({ mediaTypes }) => mediaTypes.includes(plain)) ??
    (plain.startsWith("text/") ? readers.find((each) => each.name === "text") : undefined);
  if (found !== undefined && isReader(found)) return found;
  const kind =
    found !== undefined && !found.mediaTypes.includes(plain)
      ? found.name
      : plain === ""
        ? "a document without a media type or known ending"
        : plain;
  throw new EngineError(
    "invalid_input",
    `no reader for ${kind}${hintOf(found)}; there are readers for ${known}`,
  );
}

function isReader(found: DocumentFormat | DocumentReader): found is DocumentReader {
  return "read" in found;
}

const FORMATS: readonly DocumentFormat[] = [...Object.values(DOCUMENT_FORMATS), ...UNREAD_FORMATS];

function isNamed({ name, mediaTypes }: DocumentFormat, type: string): boolean {
  return name === type || mediaTypes.includes(type);
}

/** Returns a hint for a document of a format without a registered reader. */
function hintOf(format: DocumentFormat | undefined): string {
  if (format === undefined) return "";
  const unread = UNREAD_FORMATS.find(({ name }) => name === format.name);
  return unread === undefined
    ? ": DOCUMENT_READERS of edgecrew/knowledge/readers does, as `readers` of the knowledge"
    : `: ${unread.advice}`;
}

function bytesIn(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(base64);
  } catch {
    throw new EngineError("invalid_input", "base64 must be base64, got other text");
  }
}
