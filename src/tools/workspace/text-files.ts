import { EngineError } from "../../base/error.ts";
import { Sha256 } from "../../base/sha256.ts";
import { plainType, typeOfName } from "../../files/detection/extensions.ts";
import type { Workspace } from "../../files/workspace.ts";
import { pathIn } from "./workspace-call.ts";

/** A text file of a workspace. */
export type TextFile = {
  readonly path: string;
  readonly text: string;
  readonly sha256: string;
  readonly mediaType: string;
};

/** Reads a text file. Fails with `not_found`, and with `invalid_input` for bytes other than UTF-8 text. */
export async function readText(workspace: Workspace, path: string): Promise<TextFile> {
  const own = pathIn(path);
  const file = await workspace.read(own);
  if (file === undefined) throw noFile(own);
  const { content, mediaType } = file;
  return {
    path: own,
    text: decoded(content, own),
    sha256: new Sha256().update(content).hex(),
    mediaType,
  };
}

/** Decodes a text and keeps its byte order mark. */
function decoded(content: Uint8Array, path: string): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    if (!text.includes("\0")) return text;
  } catch {
    // reported below
  }
  throw new EngineError("invalid_input", `${path} is no text in UTF-8: only texts can be changed`);
}

/** Returns the media type of a new text file, by its name. */
export function textTypeOf(path: string): string {
  const type = plainType(typeOfName(path) ?? "text/plain");
  return `${type}; charset=utf-8`;
}

export function noFile(path: string): EngineError {
  return new EngineError("not_found", `there is no file ${JSON.stringify(path)}`);
}
