// Pieces of the rules that recognise accepted differences.
import type { CaseAgent, CaseChat, ConversationCase } from "./conversation-case.ts";
import type { ConversationDifference } from "./compare-outcomes.ts";
import type { ChatOutcome, MessageOutcome } from "./outcome.ts";

/** AG2 failed, and the last frames of its stack include this function. */
export function failedIn(
  { field, ourOutcome, theirOutcome }: ConversationDifference,
  place: string,
  error: string,
): boolean {
  return (
    field === "status" &&
    ourOutcome.status === "completed" &&
    theirOutcome.status === "failed" &&
    theirOutcome.error === error &&
    (theirOutcome.trace ?? []).some((frame) => frame.endsWith(` ${place}`))
  );
}

/** The chat of each side that the difference is in. */
export function chatsOf({ ourOutcome, theirOutcome, chat = 0 }: ConversationDifference): {
  readonly ours: ChatOutcome | undefined;
  readonly theirs: ChatOutcome | undefined;
} {
  return { ours: ourOutcome.chats[chat], theirs: theirOutcome.chats[chat] };
}

/** The plan of the chat that the difference is in. */
export function planOf({ program, chat = 0 }: ConversationDifference): CaseChat | undefined {
  return program.queue?.[chat] ?? program.chat;
}

export function agentOf(
  { agents }: ConversationCase,
  name: string | null | undefined,
): CaseAgent | undefined {
  return agents.find((each) => each.name === name);
}

export function textOf(message: MessageOutcome | undefined): string {
  return message?.content ?? "";
}

/** Names of tools that the models of a conversation call. */
export function calledTools({ script }: ConversationCase): readonly string[] {
  return Object.values(script).flatMap((replies) =>
    replies.flatMap(({ tools = [] }) => tools.map(({ name }) => name)),
  );
}
