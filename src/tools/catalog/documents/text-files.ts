import { kindOf } from "../../../files/detection/kind-of.ts";
import { mediaTypeOf, type FileClaims } from "../../../files/detection/media-type.ts";

/** Hidden files and folders, packages and generated files. */
const LEFT_OUT =
  /(^|\/)(\.[^/]|node_modules\/|__pycache__\/|vendor\/)|(^|\/)(package-lock\.json|[\w.-]+\.lock|go\.sum)$|\.(?:min\.(?:js|css)|map)$/;

/** True if a file is excluded from searches: hidden ones, packages and generated files. */
export function isLeftOut(path: string): boolean {
  return LEFT_OUT.test(path);
}

/** Readers by media type. */
const READERS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "text/html": "html",
  "application/xhtml+xml": "html",
  "application/vnd.oasis.opendocument.spreadsheet": "ods",
  "application/vnd.ms-excel": "xlsx",
  "message/rfc822": "mail",
  "application/mbox": "mailbox",
  "application/x-ndjson": "jsonl",
  "application/yaml": "yaml",
  "application/x-ipynb+json": "notebook",
  "application/x-subrip": "subtitles",
  "text/vtt": "subtitles",
  "text/csv": "csv",
  "text/tab-separated-values": "csv",
  "application/json": "json",
  "application/xml": "xml",
  "text/xml": "xml",
  "text/markdown": "markdown",
};

/** Returns the name of the reader for a file's bytes; undefined if there is none. */
export function readerOf(bytes: Uint8Array, claims: FileClaims): string | undefined {
  const type = mediaTypeOf(bytes, { ...claims, size: bytes.length });
  const isMdx = /\.mdx$/i.test(claims.name ?? "");
  if (bytes.length === 0) return undefined;
  const reader = READERS[type] ?? (kindOf(type) === "text" ? "text" : undefined);
  return reader === "text" && isMdx ? "markdown" : reader;
}
