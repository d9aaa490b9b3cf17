import { EngineError, errorMessage } from "../../../base/error.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";

export type FileContent = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
};

/** A file of the workspace. Throws the failures `not_found`, and `refused` for a path that leads out of it. */
export async function readWorkspaceFile(io: ToolIo, path: string): Promise<FileContent> {
  const file = await inWorkspace(() => io.files.read(path));
  if (file === undefined)
    throw serviceFailure({
      code: "not_found",
      message: `There is no file ${JSON.stringify(path)} in the workspace.`,
    });
  const { content, mediaType } = file;
  return { bytes: new Uint8Array(content), mediaType };
}

/** Work in the workspace whose refusals are failures that the model reads. */
export async function inWorkspace<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!EngineError.is(error) || !CODES.has(error.code)) throw error;
    throw serviceFailure({ code: CODES.get(error.code) ?? "failed", message: errorMessage(error) });
  }
}

const CODES: ReadonlyMap<string, string> = new Map([
  ["invalid_input", "refused"],
  ["limit_exceeded", "too_large"],
  ["conflict", "failed"],
]);
