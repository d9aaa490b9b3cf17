// What stands in place of what was blocked.
import type { ConversationMessage } from "../messages.ts";

const OPENING = "[Blocked by a safeguard: ";

/** The text in place of a blocked one. */
export function blockText(reason: string): string {
  return `${OPENING}${reason}]`;
}

/** A message that says nothing but this text. Its calls have an error as their arguments, and its results are all this text. */
export function blockedMessage(message: ConversationMessage, text: string): ConversationMessage {
  const { content, toolCalls, functionCall, toolResponses } = message;
  const input = JSON.stringify({ error: text });
  return {
    ...message,
    content: content === null || content === "" ? content : text,
    ...(toolCalls && { toolCalls: toolCalls.map((call) => ({ ...call, arguments: input })) }),
    ...(functionCall && { functionCall: { ...functionCall, arguments: input } }),
    ...(toolResponses && {
      toolResponses: toolResponses.map((response) => ({ ...response, content: text })),
    }),
  };
}

/** The text in place of a call that was blocked on its way; undefined for one that was not. */
export function blockedCallText(input: string): string | undefined {
  const [, text] = /^\{"error":("\[Blocked by a safeguard: .*")\}$/s.exec(input) ?? [];
  return text === undefined ? undefined : (JSON.parse(text) as string);
}
