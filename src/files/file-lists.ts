import type { LanguageModel } from "../llm/language-model.ts";
import type { RunServices } from "../events/run-services.ts";
import { leavesOf } from "./delivery.ts";
import { readerFor } from "./file-reading.ts";
import type { RunFile } from "./file-ref.ts";
import { NO_FILES, type FileLists } from "./file-parts.ts";
import { planFiles, type PlanBudget } from "./plan-files.ts";

/**
 * Sorts files by the form in which a model gets them, for the text that names them. For a list of models the first one
 * counts. Throws the errors of `planFiles` for files in mode `strict`.
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

/** Returns a function that is true for files with a reader or a transcriber. */
export function readsFor(services: RunServices): NonNullable<PlanBudget["reads"]> {
  const { transcriber } = services;
  return ({ kind, mediaType }) =>
    kind === "audio"
      ? transcriber?.mediaTypes.includes(mediaType) === true
      : readerFor(services, mediaType) !== undefined;
}

/** True if the services can shrink images. */
export function shrinksFor(services: RunServices): boolean {
  const { imageEditor, files } = services;
  return imageEditor !== undefined && files !== undefined;
}
