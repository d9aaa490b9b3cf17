// The files of a run: tasks read input files, and outputs are written to output files.
//
//   CF1. A crew that writes files, or reads them from a path, fails before its first task if there is no file store.
//   CF2. A path is checked again once its placeholders are filled, because inputs come from outside.
//   - A write is a step: a replay does not write again, and a second write leaves the same file.
import { EngineError } from "../base/error.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { FileStore } from "../files/file-store.ts";
import { copyToWorkspace } from "./crew-workspace.ts";

/**
 * Returns the run's file store. Throws `invalid_definition` and names the feature that needs it, if there is no store.
 */
export function fileStoreFor(scope: RunScope, what: string): FileStore {
  const { files } = scope.services;
  if (files !== undefined) return files;
  throw new EngineError(
    "invalid_definition",
    `${what}, but this run has no file store: set \`files\` in defineApp(), or pass it to kickoff() or start()`,
  );
}

/** Writes a text file as a step at this place: to the file store, and to the run's workspace, from which it can be fetched. */
export async function writeText(
  place: RunScope,
  file: { readonly path: string; readonly what: string; readonly text: string },
): Promise<void> {
  const files = fileStoreFor(place, file.what);
  const { path, text } = file;
  const mediaType = mediaTypeOf(path);
  await place.step({
    kind: "effect",
    run: async (_, inside) => {
      await files.put(path, text, mediaType);
      await copyToWorkspace(inside, { path, text, mediaType });
      return null;
    },
  });
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  htm: "text/html",
  html: "text/html",
  json: "application/json",
  md: "text/markdown",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
};

function mediaTypeOf(path: string): string {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  return `${MEDIA_TYPES[ending] ?? "text/plain"}; charset=utf-8`;
}
