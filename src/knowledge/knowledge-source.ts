// Sources of knowledge: texts, files, pages. In code, in stored definitions, and over HTTP.
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject } from "../base/json.ts";
import { checkChunking, type Chunking } from "./chunk.ts";
import { checkEncoding } from "./readers/decode-text.ts";

/** One document, and the source of its bytes. */
export type DocumentSource = {
  /** Unique in its collection: another document of the same name replaces it. 1 to 256 characters. */
  readonly name: string;
  readonly chunking?: Chunking;
  /**
   * Name of the reader, or a media type. @default chosen by the extension of the name and the media type of the bytes
   */
  readonly type?: string;
  /**
   * Encoding of a text, such as `windows-1252`. @default by its byte order mark or media type, else UTF-8, else guessed
   */
  readonly encoding?: string;
} & (
  | { readonly text: string }
  /** A path in the file store. */
  | { readonly path: string }
  | { readonly url: string }
  /** Bytes as base64, with their media type. */
  | { readonly base64: string; readonly mediaType?: string }
);

/** An entry of `knowledgeSources` of agents and crews: a document, or a source of CrewAI by its `source_type`. */
export type KnowledgeSource = DocumentSource | JsonObject;

/** Readers by CrewAI's `source_type`. */
const TYPES: Readonly<Record<string, string | undefined>> = {
  string: "text",
  text_file: "text",
  pdf: "pdf",
  csv: "csv",
  json: "json",
  excel: "xlsx",
  docling: undefined,
};

/** Folder of files that CrewAI sources name by a text. */
const FOLDER = "knowledge/";
const MAX_NAME_LENGTH = 256;

/** Returns the documents of a list of sources. Throws `invalid_definition`, naming the source. */
export function documentsOf(sources: readonly KnowledgeSource[], field: string): DocumentSource[] {
  const documents = sources.flatMap((source, index) => expand(source, `${field}[${index}]`));
  const seen = new Set<string>();
  for (const { name } of documents) {
    if (seen.has(name))
      throw invalid(`${field} has two documents named ${preview(name)}: name one otherwise`);
    seen.add(name);
  }
  return documents;
}

/** Throws `invalid_definition` for an invalid document source. */
export function checkDocument(source: DocumentSource, field: string): DocumentSource {
  const { name, chunking } = source;
  if (typeof name !== "string" || name.trim() === "" || name.length > MAX_NAME_LENGTH)
    throw invalid(
      `${field}.name must be a text of 1 to ${MAX_NAME_LENGTH} characters, got ${preview(name)}`,
    );
  const kinds = ["text", "path", "url", "base64"].filter((key) => Object.hasOwn(source, key));
  if (kinds.length !== 1)
    throw invalid(
      `${field} must have one of text, path, url and base64, got ${kinds.join(" and ") || "none"}`,
    );
  const [kind = ""] = kinds;
  const content = (source as Record<string, unknown>)[kind];
  if (typeof content !== "string" || (kind !== "text" && content.trim() === ""))
    throw invalid(`${field}.${kind} must be a text, got ${preview(content)}`);
  if (chunking !== undefined) checkChunking(chunking, `${field}.chunking`);
  if (source.encoding !== undefined) checkEncoding(source.encoding, `${field}.encoding`);
  return source;
}

function expand(source: KnowledgeSource, field: string): DocumentSource[] {
  if (!isJsonObject(source))
    throw invalid(`${field} must be a knowledge source, got ${preview(source)}`);
  const fields = source as JsonObject;
  const kind = fields["source_type"] ?? fields["sourceType"];
  if (kind === undefined) return [checkDocument(source as DocumentSource, field)];
  if (typeof kind !== "string" || !Object.hasOwn(TYPES, kind))
    throw invalid(
      `${field}.source_type must be one of ${Object.keys(TYPES).join(", ")}, got ${preview(kind)}`,
    );
  const chunking = chunkingOf(fields, field);
  const type = TYPES[kind];
  if (kind === "string") {
    const { content } = fields;
    if (typeof content !== "string")
      throw invalid(`${field}.content must be a text, got ${preview(content)}`);
    const name =
      typeof fields["name"] === "string" ? fields["name"] : `string ${content.slice(0, 60)}`;
    return [checkDocument({ name, text: content, type: "text", ...chunking }, field)];
  }
  const paths =
    fields["file_paths"] ?? fields["filePaths"] ?? fields["file_path"] ?? fields["filePath"];
  const list = typeof paths === "string" ? [paths] : paths;
  if (!Array.isArray(list) || list.length === 0)
    throw invalid(`${field}.file_paths must be paths, at least one, got ${preview(paths)}`);
  return list.map((path, index) => {
    if (typeof path !== "string" || path === "")
      throw invalid(`${field}.file_paths[${index}] must be a path, got ${preview(path)}`);
    const { encoding } = fields;
    const common = {
      name: path,
      ...(type === undefined ? undefined : { type }),
      ...(encoding === undefined ? undefined : { encoding: encoding as string }),
      ...chunking,
    };
    if (/^https?:\/\//.test(path)) return checkDocument({ ...common, url: path }, field);
    return checkDocument(
      { ...common, path: path.startsWith("/") ? path.slice(1) : FOLDER + path },
      field,
    );
  });
}

function chunkingOf(fields: JsonObject, field: string): { readonly chunking?: Chunking } {
  const size = fields["chunk_size"] ?? fields["chunkSize"];
  const overlap = fields["chunk_overlap"] ?? fields["chunkOverlap"];
  if (size === undefined && overlap === undefined) return {};
  const chunking = {
    ...(size === undefined ? undefined : { size: size as number }),
    ...(overlap === undefined ? undefined : { overlap: overlap as number }),
  };
  checkChunking(chunking, field);
  return { chunking };
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_definition", message);
}
