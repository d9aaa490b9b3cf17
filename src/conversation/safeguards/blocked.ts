// Replacements of blocked messages and calls.
import type { ConversationMessage } from "../messages.ts";

const OPENING = "[Blocked by a safeguard: ";

/** The text in place of a blocked one. */
export function blockText(reason: string): string {
  return `${OPENING}${reason}]`;
}

/**
 * Returns a message with only this text. Its calls have an error as their arguments, and its results all have this
 * text.
 */
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

/** Returns the text in place of a call blocked on its way; undefined for other calls. */
export function blockedCallText(input: string): string | undefined {
  const [, text] = /^\{"error":("\[Blocked by a safeguard: .*")\}$/s.exec(input) ?? [];
  return text === undefined ? undefined : (JSON.parse(text) as string);
}
