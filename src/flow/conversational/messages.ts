// Messages of a conversation in the forms for models and events.
import { cut, MAX_EVENT_TEXT } from "../../base/cut.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { Message } from "../../llm/language-model.ts";
import type { ConversationMessage } from "./conversation-state.ts";

/** Number of latest messages shown to a model for classification. */
const RECENT_MESSAGES = 10;
const MAX_RECENT_TEXT = 1_000;

/** Emits the event for a new message. */
export function emitMessageAdded(
  scope: RunScope,
  sessionId: string,
  { role, content, index }: Pick<ConversationMessage, "role" | "content"> & { index: number },
): void {
  const payload = { sessionId, role, content: cut(content, MAX_EVENT_TEXT), messageIndex: index };
  scope.emit("conversation_message_added", payload, index);
}

/** Returns the conversation for its next model, without tool calls and their results. */
export function historyFor(messages: readonly ConversationMessage[]): readonly Message[] {
  return messages.flatMap(({ role, content }) =>
    role === "tool" || content === "" ? [] : [{ role, content }],
  );
}

/** Returns the latest messages before the last one, shortened. */
export function recentText(messages: readonly ConversationMessage[]): string {
  return messages
    .slice(0, -1)
    .filter(({ role }) => role === "user" || role === "assistant")
    .slice(-RECENT_MESSAGES)
    .map(({ role, content }) => `${role}: ${cut(content, MAX_RECENT_TEXT)}`)
    .join("\n");
}
