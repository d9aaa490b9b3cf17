import * as z from "zod";
import { toBase64 } from "../../base/bytes.ts";
import { EngineError } from "../../base/error.ts";
import { isJsonObject } from "../../base/json.ts";
import { RunScope } from "../../events/run-scope.ts";
import { kindOf } from "../../files/detection/kind-of.ts";
import { mediaTypeOf } from "../../files/detection/media-type.ts";
import { decodedText } from "../../files/detection/text-type.ts";
import { readDocument, readerFor } from "../../files/file-reading.ts";
import type { RunFile } from "../../files/file-ref.ts";
import { readBytes } from "../../files/read-bytes.ts";
import { tool, type Tool } from "../tool.ts";

/** Larger files that are no text are told of, and not shown. */
const MAX_BASE64_BYTES = 32 * 1024;

/**
 * A tool that reads these files: text as it is, documents as text where somebody reads them, small ones of another kind as base64.
 * Paths of the run's workspace are read, too.
 */
export function readFileTool(files: readonly RunFile[]): Tool {
  const names = files.map(({ key }) => key).join(", ");
  return tool({
    name: "read_file",
    description: `Read one of these files: ${names}. Text and documents are given as text, other small files as base64.`,
    input: z.preprocess(named, z.object({ file_name: z.string().describe("The file's name") })),
    effect: "pure",
    cache: () => false,
    run: async ({ file_name: name }) => {
      const scope = RunScope.current();
      const file =
        files.find(({ key }) => key === name) ?? files.find((each) => isCalled(each, name));
      if (scope === undefined)
        throw new EngineError("internal", "there is no run to read files of");
      const found = file ?? (await fromWorkspace(scope, name));
      return found === undefined
        ? `Error: there is no file named "${name}". Choose one of: ${names}`
        : contentOf(scope, found);
    },
  });
}

function isCalled({ name, at }: RunFile, called: string): boolean {
  return name === called || ("path" in at && at.path === called);
}

async function fromWorkspace(scope: RunScope, path: string): Promise<RunFile | undefined> {
  if (scope.services.files === undefined) return undefined;
  const at = { workspace: path };
  const found = await readBytes(scope, at).catch((error: unknown) => {
    if (EngineError.is(error) && ["not_found", "invalid_input"].includes(error.code))
      return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  const { bytes, mediaType: declared } = found;
  const mediaType = mediaTypeOf(bytes, { name: path, declared, size: bytes.length });
  return { key: path, name: path, at, mediaType, kind: kindOf(mediaType) };
}

async function contentOf(scope: RunScope, file: RunFile): Promise<string> {
  const { bytes } = await readBytes(scope, file.at).catch((error: unknown) => {
    if (!EngineError.is(error) || error.code !== "not_found") throw error;
    throw new EngineError("not_found", `${error.message}, where "${file.key}" should be`);
  });
  const { mediaType, kind } = file;
  const text = kind === "text" ? decodedText(bytes) : undefined;
  if (text !== undefined) return text;
  if (readerFor(scope.services, mediaType) !== undefined)
    return readDocument(scope.services, file, bytes);
  const about = `${mediaType}, ${bytes.length} bytes`;
  return bytes.length > MAX_BASE64_BYTES
    ? `${about}: nobody here makes text of it`
    : `${about}, as base64:\n${toBase64(bytes)}`;
}

/** `name` and `path` stand for `file_name`: older conversations have the one, tools for workspaces the other. */
function named(input: unknown): unknown {
  if (!isJsonObject(input) || "file_name" in input) return input;
  const name = input["name"] ?? input["path"];
  return name === undefined ? input : { file_name: name };
}
