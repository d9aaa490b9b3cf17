// Form of a model call's files, as recorded before the call: references, never bytes.
import type { LanguageModel, Message, ModelRequest } from "../llm/language-model.ts";
import type { RunFile } from "./file-ref.ts";

/** One file, or a piece of one, on its way. */
export type Delivery =
  | { readonly send: "url"; readonly file: RunFile }
  | { readonly send: "inline"; readonly file: RunFile }
  | {
      readonly send: "upload";
      readonly file: RunFile;
      readonly fileId: string;
      readonly provider: string;
    }
  | {
      readonly send: "text";
      readonly file: RunFile;
      readonly maxCharacters: number;
      readonly pieces?: true;
    }
  | { readonly send: "none"; readonly file: RunFile; readonly why: string };

/** Deliveries of one file: usually one, several for a split file. */
export type FileDelivery = readonly Delivery[];

/** Deliveries for each model of a list, in its order, or the reason why that model cannot take them. */
export type ModelDelivery =
  | { readonly files: readonly FileDelivery[] }
  | { readonly refused: string };

/** Returns the run's files in a conversation, in order. A file is repeated for each reference. */
export function runFilesIn(messages: readonly Message[]): readonly RunFile[] {
  const files: RunFile[] = [];
  for (const { content } of messages) {
    if (typeof content === "string") continue;
    for (const part of content) if ("runFile" in part) files.push(part.runFile);
  }
  return files;
}

/** Size of a request beside the run's files: bytes, and number of images. */
export function weightOf({ messages, tools = [] }: Pick<ModelRequest, "messages" | "tools">): {
  readonly usedBytes: number;
  readonly images: number;
} {
  let usedBytes = tools.length === 0 ? 0 : JSON.stringify(tools).length;
  let images = 0;
  for (const { content } of messages) {
    if (typeof content === "string") {
      usedBytes += content.length;
      continue;
    }
    for (const part of content) {
      if (part.type === "text") usedBytes += part.text.length;
      else if ("data" in part) usedBytes += part.data.length;
      if (part.type === "image" && !("runFile" in part)) images += 1;
    }
  }
  return { usedBytes, images };
}

/** Returns the possible models of a call, in the order of their lists. */
export function leavesOf(model: LanguageModel): readonly LanguageModel[] {
  return model.entries === undefined ? [model] : model.entries.flatMap(leavesOf);
}
