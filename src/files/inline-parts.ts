import { toBase64 } from "../base/bytes.ts";
import type { ContentPart } from "../llm/language-model.ts";
import { readBytes, type FileOwner } from "./read-bytes.ts";

/**
 * Replaces references to the run's files by their contents, for code without access to the run. Leaves out an optional
 * file that cannot be loaded.
 */
export async function inlineParts(
  owner: FileOwner,
  parts: readonly ContentPart[],
): Promise<readonly ContentPart[]> {
  const found: ContentPart[] = [];
  for (const part of parts) {
    if (!("runFile" in part)) {
      found.push(part);
      continue;
    }
    const { at, mediaType, name, optional } = part.runFile;
    try {
      const { bytes } = await readBytes(owner, at);
      const source = { data: toBase64(bytes), mediaType };
      const { type } = part;
      found.push(type === "image" ? { type, ...source } : { type, name, ...source });
    } catch (error) {
      if (optional !== true) throw error;
    }
  }
  return found;
}
