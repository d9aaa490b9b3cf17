import { digestHex } from "../../../base/bytes.ts";
import { EngineError, errorMessage } from "../../../base/error.ts";
import type { WorkspaceFile } from "../../../files/workspace.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { isFileId } from "../../../files/file-id.ts";
import { collected } from "../../../files/read-bytes.ts";
import type { ToolIo } from "../base/tool-io.ts";

export type FileContent = {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
};

/**
 * A file of the workspace, or a stored one by its id. Throws the failures `not_found`, and `refused` for a path that leads out of the
 * workspace.
 */
export async function readWorkspaceFile(io: ToolIo, path: string): Promise<FileContent> {
  if (isFileId(path)) return readStoredFile(io, path);
  const file = await inWorkspace(() => io.files.read(path));
  if (file === undefined)
    throw serviceFailure({
      code: "not_found",
      message: `There is no file ${JSON.stringify(path)} in the workspace.`,
    });
  const { content, mediaType } = file;
  return { name: path, bytes: new Uint8Array(content), mediaType };
}

async function readStoredFile(io: ToolIo, id: string): Promise<FileContent> {
  const file = await io.services.storedFiles?.get(id);
  if (file === undefined)
    throw serviceFailure({ code: "not_found", message: `There is no stored file ${id}.` });
  const { name, mediaType } = file.ref;
  const bytes = await collected(await file.open(), name);
  return { name, bytes: new Uint8Array(bytes), mediaType };
}

/** A file that is to be written. */
export type NewContent = {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  /** Whether it may replace another one. */
  readonly replaces: boolean;
};

/**
 * Writes a file; undefined where there is another one already. The same bytes are no other file: they may be what this very call
 * wrote before it was cut off.
 */
export async function writeNewFile(
  io: ToolIo,
  { path, bytes, mediaType, replaces }: NewContent,
): Promise<WorkspaceFile | undefined> {
  return inWorkspace(async () => {
    if (replaces) return io.files.write(path, bytes, mediaType);
    try {
      const [written] = await io.files.change([{ path, content: bytes, mediaType, before: null }]);
      return written;
    } catch (error) {
      if (!EngineError.is(error) || error.code !== "conflict") throw error;
      const there = await io.files.stat(path);
      return there?.sha256 === (await digestHex(bytes)) ? there : undefined;
    }
  });
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
  ["payload_too_large", "too_large"],
  ["conflict", "failed"],
]);
