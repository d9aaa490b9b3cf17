// Files of a run for the non-text content of results.
//
//   XF1. Bytes go to the run's workspace in the step that received them; records have only their paths. Without a file
//        store, or for invalid base64, a record has only the media type and the size.
//   XF2. A server's media type is checked against the bytes: a model sees an image only if it is one.
import { fromBase64 } from "../../../base/bytes.ts";
import { cleanText } from "../../../base/clean-text.ts";
import { cut } from "../../../base/cut.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import { workspaceOf, type Workspace, type WorkspaceFile } from "../../../files/workspace.ts";
import { toolResult, type ResultImage, type ToolResult } from "../../../tools/tool-result.ts";
import { textOfResult, type CallResult } from "./call-result.ts";

/** Limit for the text of one result, in characters. */
const MAX_TEXT = 65_536;
/** Limit for the files of one result. */
const MAX_FILES = 50;

const OTHER = "application/octet-stream";

/** First bytes of images for models, by media type. */
const IMAGES: Readonly<Record<string, { readonly ending: string; readonly begins: RegExp }>> = {
  "image/png": { ending: "png", begins: /^\x89PNG\r\n/ },
  "image/jpeg": { ending: "jpg", begins: /^\xff\xd8\xff/ },
  "image/gif": { ending: "gif", begins: /^GIF8[79]a/ },
  "image/webp": { ending: "webp", begins: /^RIFF[^]{4}WEBP/ },
};

const ENDINGS: Readonly<Record<string, string>> = {
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/ogg": "ogg",
  "application/pdf": "pdf",
  "application/json": "json",
  "text/csv": "csv",
  "text/plain": "txt",
};

/** Returns the result with its bytes in files of the run (XF1). */
export async function withFiles(
  result: CallResult,
  scope: RunScope | undefined,
): Promise<CallResult> {
  const workspace = scope?.services.files === undefined ? undefined : workspaceOf(scope);
  const folder = `mcp/${sha256Hex(scope?.path ?? "").slice(0, 16)}`;
  let left = MAX_FILES;
  const content = await Promise.all(
    result.content.map(async (part, index): Promise<JsonObject> => {
      const { resource } = part;
      const isResource = isJsonObject(resource);
      const held = isResource ? resource : part;
      const { data, blob, ...rest } = held;
      const base64 = isResource ? blob : data;
      if (typeof base64 !== "string") return part;
      const target =
        workspace !== undefined && left-- > 0 ? { workspace, folder, index } : undefined;
      const kept = { ...rest, ...(await stored(base64, textOf(held["mimeType"]), target)) };
      return isResource ? { ...part, resource: kept } : kept;
    }),
  );
  return { ...result, content };
}

type Target = { readonly workspace: Workspace; readonly folder: string; readonly index: number };

async function stored(
  base64: string,
  claimed: string,
  target: Target | undefined,
): Promise<JsonObject> {
  const bytes = bytesOf(base64);
  if (bytes === undefined) return { unreadable: true, bytes: base64.length };
  if (target === undefined) return { bytes: bytes.byteLength };
  const { ending, mediaType } = kindOf(claimed, bytes);
  const path = `${target.folder}/${target.index + 1}.${ending}`;
  // A storage failure must not lose the result of a call with an effect.
  const file = await target.workspace.write(path, bytes, mediaType).catch(() => undefined);
  return file === undefined ? { bytes: bytes.byteLength } : { ...file, mimeType: file.mediaType };
}

function kindOf(
  claimed: string,
  bytes: Uint8Array,
): { readonly ending: string; readonly mediaType: string } {
  const type = claimed.toLowerCase();
  const image = IMAGES[type];
  if (image !== undefined) {
    const start = String.fromCharCode(...bytes.subarray(0, 16));
    return image.begins.test(start)
      ? { ending: image.ending, mediaType: type }
      : { ending: "bin", mediaType: OTHER };
  }
  // A media type becomes a header's value when the file is read, so only safe characters pass.
  const mediaType = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : OTHER;
  return { ending: ENDINGS[mediaType] ?? "bin", mediaType };
}

/** Returns the tool's result: its text is cut and marked as untrusted content. */
export function toolResultOf(result: CallResult, serverName: string): ToolResult {
  const files = filesOf(result);
  const { structuredContent: data } = result;
  return toolResult({
    text: cut(cleanText(textOfResult(result)), MAX_TEXT),
    ...(data === undefined ? undefined : { data }),
    files,
    images: imagesAmong(files),
    untrusted: [serverName],
  });
}

/** Returns the files of a result. */
function filesOf({ content }: CallResult): readonly WorkspaceFile[] {
  return content.flatMap((part) => {
    const { path, mediaType, bytes, sha256 } = isJsonObject(part["resource"])
      ? part["resource"]
      : part;
    if (typeof path !== "string" || typeof bytes !== "number") return [];
    return [{ path, mediaType: textOf(mediaType), bytes, sha256: textOf(sha256) }];
  });
}

/** Returns the files that a model can see. */
function imagesAmong(files: readonly WorkspaceFile[]): readonly ResultImage[] {
  return files
    .filter(({ mediaType }) => Object.hasOwn(IMAGES, mediaType))
    .map(({ path, mediaType }) => ({ path, mediaType }));
}

function bytesOf(base64: string): Uint8Array | undefined {
  try {
    return fromBase64(base64);
  } catch {
    return undefined;
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
