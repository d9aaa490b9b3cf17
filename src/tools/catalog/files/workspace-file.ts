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
 * Reads a file of the workspace, or a stored one by its id. Throws the failures `not_found`, and `refused` for a path
 * leading out of the workspace.
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

/** File to write. */
export type NewContent = {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  /** Allows replacing an existing file. */
  readonly replaces: boolean;
};

/**
 * Writes a file. Returns undefined if there is already another one. A file with the same bytes does not count as
 * another: this call may have written it before an interruption.
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

/** Runs work in the workspace and turns its rejections into failures for the model. */
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
