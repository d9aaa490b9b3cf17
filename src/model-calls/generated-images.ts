// Images drawn by a provider's own tool.
//
//   GIM1. Images go to the run's workspace in the step of the call that made them, and never into a record: the answer
//         names their paths.
import { fromBase64 } from "../base/bytes.ts";
import { sha256Hex } from "../base/sha256.ts";
import type { RunScope } from "../events/run-scope.ts";
import { workspaceOf } from "../files/workspace.ts";
import type { GeneratedImage } from "../llm/builtin-tools.ts";
import type { ModelResponse } from "../llm/language-model.ts";

const ENDINGS: Readonly<Record<string, string>> = { "image/jpeg": "jpg", "image/webp": "webp" };

/** Returns the answer in its recorded form (GIM1). */
export async function withStoredImages(
  scope: RunScope,
  { images = [], ...answer }: ModelResponse,
): Promise<ModelResponse> {
  const name = `images/${sha256Hex(scope.path).slice(0, 16)}`;
  const said = await Promise.all(
    images.map((image, index) => store(scope, image, `${name}-${index + 1}`)),
  );
  return { ...answer, text: [answer.text, ...said].filter((line) => line !== "").join("\n\n") };
}

async function store(
  scope: RunScope,
  { data, mediaType }: GeneratedImage,
  name: string,
): Promise<string> {
  const bytes = bytesOf(data);
  if (bytes === undefined) return `[image ${mediaType}, unreadable]`;
  if (scope.services.files === undefined) return `[image ${mediaType}, ${bytes.length} bytes]`;
  const path = `${name}.${ENDINGS[mediaType] ?? "png"}`;
  const file = await workspaceOf(scope).write(path, bytes, mediaType);
  return `[image ${mediaType}: ${file.path}]`;
}

function bytesOf(base64: string): Uint8Array | undefined {
  try {
    return fromBase64(base64);
  } catch {
    return undefined;
  }
}
