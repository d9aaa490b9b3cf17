// Input files of a conversation, attached to its opening message.
import { fileListTexts } from "../agent/prompts/file-list-texts.ts";
import { mergePrompts } from "../agent/prompts/prompts.ts";
import { isJsonObject } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { fileParts } from "../files/file-parts.ts";
import { resolveFiles } from "../files/resolve-files.ts";
import { namedSources, type FileSources } from "../files/started-files.ts";
import { readFileTool } from "../tools/builtin/read-file.ts";
import type { Talk } from "./chats/talk.ts";

/**
 * Returns the messages with the files attached to the last one. The files are resolved in a step at `place`; all
 * members can read them.
 */
export async function openingWithFiles<Messages extends string | readonly unknown[]>(
  talk: Talk,
  place: RunScope,
  { messages, files: sources }: { readonly messages: Messages; readonly files: FileSources },
): Promise<Messages | readonly unknown[]> {
  const files = await resolveFiles(place.at("files"), namedSources(sources));
  if (files.length === 0) return messages;
  talk.offerToAll([readFileTool(files)]);
  const list: readonly unknown[] = typeof messages === "string" ? [messages] : messages;
  const last = list.at(-1);
  const message = isJsonObject(last) ? last : { content: last };
  const { content } = message;
  // Each member has its own model. A text describes the files that a model cannot see.
  const texts = fileListTexts(mergePrompts({}), { sent: files, toRead: [] });
  const own = Array.isArray(content) ? content : [{ type: "text", text: content }];
  const parts = [...own, ...texts.map((text) => ({ type: "text", text })), ...fileParts(files)];
  return [...list.slice(0, -1), { ...message, content: parts }];
}
