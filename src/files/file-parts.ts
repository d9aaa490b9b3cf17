import type { ContentPart } from "../llm/language-model.ts";
import type { RunFile } from "./file-ref.ts";

/** Files by the form in which a model gets them. */
export type FileLists = {
  /** Files in the conversation, unchanged or as text. */
  readonly sent: readonly RunFile[];
  /** Files to read with a tool. */
  readonly toRead: readonly RunFile[];
};

export const NO_FILES: FileLists = { sent: [], toRead: [] };

/** The files as parts of a message, in the order of their keys. */
export function fileParts(files: readonly RunFile[]): readonly ContentPart[] {
  return files.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(filePart);
}

/** A file as a part of a message. */
export function filePart(runFile: RunFile): ContentPart {
  const type = partType(runFile);
  return type === "image" ? { type, runFile } : { type, runFile };
}

/** Returns the type of a file's content part in messages. */
export function partType({ kind }: Pick<RunFile, "kind">): "image" | "audio" | "video" | "file" {
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "file";
}
