// Parts of a conversation's message, for readers.
import type { MessageView } from "../../../src/client/index.ts";

type CodeResult = {
  readonly exitCode: number;
  readonly isGood: boolean;
  readonly output: string;
};

/** Returns the result of executed code in a message; see `src/code/blocks/run-blocks.ts`. */
export function codeResult(text: string): CodeResult | undefined {
  const found = /^exitcode: (-?\d+) \([^)]*\)\nCode output: ?([^]*)$/.exec(text);
  if (found === null) return undefined;
  const exitCode = Number(found[1]);
  return { exitCode, isGood: exitCode === 0, output: (found[2] ?? "").trim() };
}

/** The texts of a message; images and files by their kind. */
export function messageText(content: MessageView["content"]): string {
  if (content === null) return "";
  if (typeof content === "string") return content;
  return content
    .map((part) => (typeof part["text"] === "string" ? part["text"] : `[${part.type}]`))
    .join("\n\n");
}

type ToolResult = { readonly toolCallId: string; readonly content: string };

/** Results of tools in a message. */
export function resultsOf({
  role,
  content,
  toolResponses = [],
  toolCallId,
}: MessageView): readonly ToolResult[] {
  if (toolResponses.length > 0) return toolResponses;
  return role === "tool" && toolCallId !== undefined
    ? [{ toolCallId, content: messageText(content) }]
    : [];
}

/** Names of called tools, by the id of the call. */
export function callNames(messages: readonly MessageView[]): ReadonlyMap<string, string> {
  return new Map(
    messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id, name }) => [id, name] as const)),
  );
}

/** Name of the member that executes calls of tools; see `src/conversation/groups/execute-calls.ts`. */
const TOOL_EXECUTOR = "_Group_Tool_Executor";

/** Returns the author of a message, for readers. */
export function authorOf(name: string): string {
  if (name === TOOL_EXECUTOR) return "Tools";
  return name === "" ? "Unknown" : name;
}

/** A hue for an author, the same each time. */
export function hueOf(name: string): number {
  let hue = 0;
  for (const character of name) hue = (hue * 31 + (character.codePointAt(0) ?? 0)) % 360;
  return hue;
}
