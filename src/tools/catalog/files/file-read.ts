import * as z from "zod";
import { toBase64 } from "../../../base/bytes.ts";
import { errorMessage, EngineError } from "../../../base/error.ts";
import { kindOf } from "../../../files/detection/kind-of.ts";
import { mediaTypeOf } from "../../../files/detection/media-type.ts";
import { decodedText } from "../../../files/detection/text-type.ts";
import { readerFor, type FileReader } from "../../../files/file-reading.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { windowOfLines } from "../base/results.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { fileOptions, ownPath } from "./file-options.ts";
import { readWorkspaceFile, type FileContent } from "./workspace-file.ts";

const MAX_CHARS = 32_000;
const MAX_TEXT = 4_000_000;
/** Maximum size of a non-text file to show. */
const MAX_SHOWN_BYTES = 32 * 1024;
const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "latin1"] as const;

/** Reads the text of a file in the workspace. */
export const fileRead = catalogTool({
  className: "FileReadTool",
  displayName: "Read a file's content",
  group: "files",
  service: "files",
  effectClass: "R",
  untrusted: true,
  cache: false,
  maxChars: MAX_CHARS + 1000,
  description:
    "Reads a file of the workspace: the lines of a text, and the text of a PDF, DOCX or XLSX file.",
  input: () =>
    z.object({
      file_path: z.string().min(1).describe("Path in the workspace"),
      start_line: z.int().min(1).optional().describe("First line, from 1"),
      line_count: z.int().min(1).optional().describe("How many lines"),
    }),
  options: () => z.object({ ...fileOptions(), encoding: z.enum(ENCODINGS).optional() }),
  fixable: ["file_path"],
  run: async (
    { file_path: named, start_line: startLine = 1, line_count: lineCount },
    { baseDir, encoding },
    io,
  ) => {
    const path = ownPath(named, baseDir);
    const file = await readWorkspaceFile(io, path);
    const text = await textOf(io, file, encoding);
    const window = { startLine, maxChars: MAX_CHARS };
    return toolResult({
      text: windowOfLines(text, lineCount === undefined ? window : { ...window, lineCount }),
      untrusted: [file.name],
    });
  },
});

/** Returns the text of a file. For other files, returns the type, and the bytes if the file is small. */
async function textOf(
  io: ToolIo,
  { name, bytes, mediaType: declared }: FileContent,
  encoding: (typeof ENCODINGS)[number] | undefined,
): Promise<string> {
  const mediaType = mediaTypeOf(bytes, { name, declared, size: bytes.length });
  if (encoding !== undefined) return new TextDecoder(encoding).decode(bytes);
  const text = kindOf(mediaType) === "text" ? decodedText(bytes) : undefined;
  if (text !== undefined) return text;
  const reader = readerFor(io.services, mediaType) ?? (await documentReader(mediaType));
  if (reader !== undefined) return documentText(reader, name, bytes);
  const about = `${name} is no text: ${mediaType}, ${bytes.length} bytes.`;
  return bytes.length > MAX_SHOWN_BYTES ? about : `${about} As base64:\n${toBase64(bytes)}`;
}

async function documentReader(mediaType: string): Promise<FileReader | undefined> {
  const { DOCUMENT_READERS } = await import("../../../knowledge/readers/document-readers.ts");
  return DOCUMENT_READERS.find(({ mediaTypes }) => mediaTypes.includes(mediaType));
}

async function documentText(reader: FileReader, name: string, bytes: Uint8Array): Promise<string> {
  try {
    return (await reader.read(bytes, { maxCharacters: MAX_TEXT })).text;
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    const code = error.code === "limit_exceeded" ? "too_large" : "bad_request";
    throw serviceFailure({ code, message: `${name}: ${errorMessage(error)}` });
  }
}
