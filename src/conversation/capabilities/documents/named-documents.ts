// Documents named in a conversation, and their locations.
//
//   DCN1. A document is an address in a message, a file attached to a message, or a path below the agent's folder.
//         Names invented by a model are ignored.
import { fingerprint } from "../../../base/hash.ts";
import { isJsonObject } from "../../../base/json.ts";
import type { DocumentSource } from "../../../knowledge/knowledge-source.ts";
import { contentText, type ConversationMessage, type MessagePart } from "../../messages.ts";

/** A document, and a version to detect a changed file of the same name. */
export type NamedDocument = { readonly source: DocumentSource; readonly version?: string };

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\])}]+/gi;
/** Punctuation of the sentence around an address or a path. */
const SENTENCE_END = /[.,;:!?…]+$/;
const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;
const MAX_NAME = 256;

/** Returns the documents named in a message. Paths below `folder` are documents of the file store. */
export function documentsIn(
  { content }: ConversationMessage,
  folder: string | undefined,
): readonly NamedDocument[] {
  const text = contentText(content);
  const files = Array.isArray(content) ? content.flatMap(fileOf) : [];
  return [...files, ...namesIn(text, folder).flatMap((name) => documentNamed(name, folder) ?? [])];
}

/** Returns the document of an address or of a path below the folder; undefined for any other name. */
export function documentNamed(name: string, folder: string | undefined): NamedDocument | undefined {
  if (name.length > MAX_NAME) return undefined;
  if (/^https?:\/\//i.test(name))
    return URL.canParse(name) ? { source: { name, url: name } } : undefined;
  const isInside = folder !== undefined && name.startsWith(folder) && name.length > folder.length;
  return isInside && !name.split("/").includes("..") ? { source: { name, path: name } } : undefined;
}

function namesIn(text: string, folder: string | undefined): readonly string[] {
  const addresses = Array.from(text.matchAll(ADDRESS), ([address]) => address);
  const paths =
    folder === undefined
      ? []
      : text.split(/[\s"'`<>()[\]]+/).filter((word) => word.startsWith(folder));
  return [...addresses, ...paths].map((name) => name.replace(SENTENCE_END, ""));
}

/** Returns a file attached to a message, in this library's form or OpenAI's. */
function fileOf(part: MessagePart): readonly NamedDocument[] {
  const { type, name, url, data, mediaType, file } = part;
  if (type !== "file" && type !== "input_file") return [];
  if (typeof url === "string") return [documentNamed(url, undefined) ?? []].flat();
  if (typeof data === "string" && typeof mediaType === "string")
    return [fileWith(name, data, mediaType)];
  const fields = isJsonObject(file) ? file : part;
  const [, kind, bytes] = DATA_URL.exec(textOf(fields["file_data"])) ?? [];
  return kind === undefined || bytes === undefined
    ? []
    : [fileWith(fields["filename"], bytes, kind)];
}

function fileWith(name: unknown, base64: string, mediaType: string): NamedDocument {
  const version = `${fingerprint(base64)}-${base64.length}`;
  const known = typeof name === "string" && name.trim() !== "" ? name.trim() : `file ${version}`;
  return { source: { name: known.slice(0, MAX_NAME), base64, mediaType }, version };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
