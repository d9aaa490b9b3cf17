import type { ContentPart, LanguageModel } from "../llm/language-model.ts";
import type { RunServices } from "../events/run-services.ts";
import { leavesOf } from "./delivery.ts";
import { readerFor } from "./file-reading.ts";
import type { RunFile } from "./file-ref.ts";
import { planFiles, type PlanBudget } from "./plan-files.ts";

/** Files by what a model gets of them. */
export type FileLists = {
  /** They are in the conversation, as they are or as text. */
  readonly sent: readonly RunFile[];
  /** They are to be read with a tool. */
  readonly toRead: readonly RunFile[];
};

export const NO_FILES: FileLists = { sent: [], toRead: [] };

/**
 * What a model, of a list the first, gets of files: for the text that tells it of them. Throws what `planFiles` throws for files in
 * mode `strict`.
 */
export function fileLists(
  files: readonly RunFile[],
  model: LanguageModel,
  services: RunServices,
): FileLists {
  const [first] = leavesOf(model);
  if (files.length === 0 || first === undefined) return NO_FILES;
  const planned = planFiles(files, first, {
    budget: { reads: readsFor(services), shrinks: shrinksFor(services) },
  });
  const isSent = planned.map(({ action }) => action.send !== "none");
  return {
    sent: files.filter((_, index) => isSent[index]),
    toRead: files.filter((_, index) => !isSent[index]),
  };
}

/** The files as parts of a message, in the order of their keys. */
export function fileParts(files: readonly RunFile[]): readonly ContentPart[] {
  return files.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(filePart);
}

/** A file as a part of a message. */
export function filePart(runFile: RunFile): ContentPart {
  const type = partType(runFile);
  return type === "image" ? { type, runFile } : { type, runFile };
}

/** What messages call a file. */
export function partType({ kind }: Pick<RunFile, "kind">): "image" | "audio" | "video" | "file" {
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "file";
}

/** Whether somebody makes a file into text here. */
export function readsFor(services: RunServices): NonNullable<PlanBudget["reads"]> {
  const { transcriber } = services;
  return ({ kind, mediaType }) =>
    kind === "audio"
      ? transcriber?.mediaTypes.includes(mediaType) === true
      : readerFor(services, mediaType) !== undefined;
}

/** Whether images can be made smaller here. */
export function shrinksFor(services: RunServices): boolean {
  const { imageEditor, files } = services;
  return imageEditor !== undefined && files !== undefined;
}
