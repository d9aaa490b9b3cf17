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
import { noFile } from "../workspace/text-files.ts";
import { inWorkspace, pathIn } from "../workspace/workspace-call.ts";

/** Size limit of non-text files. The model gets only the name of a larger one. */
const MAX_BASE64_BYTES = 32 * 1024;

const RAW = z.boolean().default(false).describe("Documents as they are, not as text");

/**
 * Creates a tool for reading these files and the files of the run's workspace: text unchanged, documents as text if
 * there is a reader for them, small files of other kinds as base64. `raw` returns documents unchanged, too.
 */
export function readFileTool(files: readonly RunFile[] = []): Tool {
  const names = files.map(({ key }) => key).join(", ");
  const which =
    files.length === 0
      ? "Read a file in the workspace of this run."
      : `Read one of these files: ${names}.`;
  return tool({
    name: "read_file",
    description: `${which} Text and documents are given as text, other small files as base64.`,
    input: z.preprocess(
      (input) => named(input, files.length === 0 ? "path" : "file_name"),
      files.length === 0
        ? z.object({ path: z.string().describe("Relative to the workspace"), raw: RAW })
        : z.object({ file_name: z.string().describe("The file's name"), raw: RAW }),
    ),
    effect: "pure",
    cache: () => false,
    run: async ({ raw, ...called }) => {
      const name = "path" in called ? called.path : called.file_name;
      const scope = RunScope.current();
      const file =
        files.find(({ key }) => key === name) ?? files.find((each) => isCalled(each, name));
      if (scope === undefined)
        throw new EngineError("internal", "there is no run to read files of");
      if (file !== undefined) return contentOf(scope, file, raw);
      if (files.length === 0)
        return inWorkspace(async () => {
          const found = await fromWorkspace(scope, pathIn(name));
          if (found === undefined) throw noFile(name);
          return contentOf(scope, found, raw);
        });
      const found = await fromWorkspace(scope, name);
      return found === undefined
        ? `Error: there is no file named "${name}". Choose one of: ${names}`
        : contentOf(scope, found, raw);
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

async function contentOf(scope: RunScope, file: RunFile, raw: boolean): Promise<string> {
  const { bytes } = await readBytes(scope, file.at).catch((error: unknown) => {
    if (!EngineError.is(error) || error.code !== "not_found") throw error;
    throw new EngineError("not_found", `${error.message}, where "${file.key}" should be`);
  });
  const { mediaType, kind } = file;
  const text = kind === "text" ? decodedText(bytes) : undefined;
  if (text !== undefined) return text;
  if (!raw && readerFor(scope.services, mediaType) !== undefined)
    return readDocument(scope.services, file, bytes);
  const about = `${mediaType}, ${bytes.length} bytes`;
  return bytes.length > MAX_BASE64_BYTES
    ? `${about}: nobody here makes text of it`
    : `${about}, as base64:\n${toBase64(bytes)}`;
}

/** `file_name`, `name` and `path` are one argument: older conversations use the first, workspace tools the last. */
function named(input: unknown, as: "path" | "file_name"): unknown {
  if (!isJsonObject(input) || as in input) return input;
  const { file_name: fileName, name = fileName, path = name, ...rest } = input;
  return path === undefined ? input : { ...rest, [as]: path };
}
