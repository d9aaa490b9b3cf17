// What was said, as models and events are told of it.
import { cut, MAX_EVENT_TEXT } from "../../base/cut.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { Message } from "../../llm/language-model.ts";
import type { ConversationMessage } from "./conversation-state.ts";

/** What a model is shown that only sorts a message. */
const RECENT_MESSAGES = 10;
const MAX_RECENT_TEXT = 1_000;

/** Tells that something was said. */
export function emitMessageAdded(
  scope: RunScope,
  sessionId: string,
  { role, content, index }: Pick<ConversationMessage, "role" | "content"> & { index: number },
): void {
  const payload = { sessionId, role, content: cut(content, MAX_EVENT_TEXT), messageIndex: index };
  scope.emit("conversation_message_added", payload, index);
}

/** The conversation as the model that goes on with it reads it: calls of tools and their results are left out. */
export function historyFor(messages: readonly ConversationMessage[]): readonly Message[] {
  return messages.flatMap(({ role, content }) =>
    role === "tool" || content === "" ? [] : [{ role, content }],
  );
}

/** The latest messages before the last one, in short. */
export function recentText(messages: readonly ConversationMessage[]): string {
  return messages
    .slice(0, -1)
    .filter(({ role }) => role === "user" || role === "assistant")
    .slice(-RECENT_MESSAGES)
    .map(({ role, content }) => `${role}: ${cut(content, MAX_RECENT_TEXT)}`)
    .join("\n");
}
