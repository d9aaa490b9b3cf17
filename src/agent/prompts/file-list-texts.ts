import type { FileLists } from "../../files/file-parts.ts";
import type { RunFile } from "../../files/file-ref.ts";
import { sentName } from "../../llm/content.ts";
import { fill, type Prompts } from "./prompts.ts";

/** Describes files for a model: those in the conversation, and those it can read. */
export function fileListTexts(
  { slices }: Pick<Prompts, "slices">,
  { sent, toRead }: FileLists,
): readonly string[] {
  return [
    ...(sent.length > 0 ? [fill(slices.filesInConversation, { files: named(sent) })] : []),
    ...(toRead.length > 0 ? [fill(slices.inputFiles, { files: named(toRead) })] : []),
  ];
}

function named(files: readonly RunFile[]): string {
  return files
    .map(({ key, name, mediaType }) => `- ${key} (${sentName(name)}, ${mediaType})`)
    .join("\n");
}
