// Nested chats before a member's answer, and their openings.
//
//   NST1. The parent's carryover leaves out its last two messages: they are the hand-over itself.
//   NST2. The first chat without a message opens with the last message of the parent. A chat with an empty message is
//         left out. If all are left out, there is no answer.
import { invalidDefinition } from "../base/invalid-definition.ts";
import { contentText, isToolResult, type ConversationMessage } from "./messages.ts";

/** Conversion of the parent's messages to carryover of the first nested chat. */
export type CarryoverConfig = {
  readonly summaryMethod: "all" | "last_msg" | "reflection_with_llm" | CarryoverSummary;
  readonly summaryArgs?: Readonly<Record<string, unknown>>;
  /** Number of last messages to leave out. @default 2 */
  readonly leaveOut?: number;
};

/** Makes a text of the parent's messages. */
export type CarryoverSummary = (
  messages: readonly ConversationMessage[],
  summaryArgs: Readonly<Record<string, unknown>>,
) => string | Promise<string>;

/** One chat of a nested queue, with the fields of its opening. Its two sides are members by name, or agents. */
export type NestedChat = {
  readonly recipient: string | { readonly name: string };
  readonly sender?: string | { readonly name: string };
  /** Text, or a function of the parent's messages. Without it, the first chat opens with the parent's last message. */
  readonly message?: string | ((messages: readonly ConversationMessage[]) => string | undefined);
  readonly carryoverConfig?: CarryoverConfig;
};

/** A nested chat with its opening message. */
export type OpenedChat<Chat> = {
  readonly chat: Chat;
  readonly message: string;
};

/** Returns the chats of a queue with their opening messages. Chats without one are left out. */
export function openedChats<
  Chat extends Pick<NestedChat, "message"> & { readonly recipient: unknown },
>(queue: readonly Chat[], messages: readonly ConversationMessage[]): readonly OpenedChat<Chat>[] {
  return queue.flatMap((chat, index) => {
    const { message } = chat;
    const own = typeof message === "function" ? message(messages) : message;
    const said = index === 0 && message === undefined ? contentText(messages.at(-1)?.content) : own;
    return said === undefined || said === "" ? [] : [{ chat, message: said }];
  });
}

/**
 * Returns the parent's messages for the first nested chat, and their text if it needs no model. Throws
 * `invalid_definition` for an unknown method.
 */
export function handedOn(
  { summaryMethod, leaveOut = 2 }: CarryoverConfig,
  messages: readonly ConversationMessage[],
): { readonly messages: readonly ConversationMessage[]; readonly text?: string } {
  const kept = messages.slice(0, Math.max(0, messages.length - leaveOut));
  if (typeof summaryMethod === "function" || summaryMethod === "reflection_with_llm")
    return { messages: kept };
  if (summaryMethod === "all") return { messages: kept, text: spoken(kept).join("\n") };
  if (summaryMethod === "last_msg") return { messages: kept, text: spoken(kept).at(-1) ?? "" };
  throw invalidDefinition(
    `carryoverConfig.summaryMethod must be "all", "last_msg", "reflection_with_llm" or a function, got ${JSON.stringify(summaryMethod)}`,
  );
}

/** Returns the message of the first nested chat, with its parent's carryover. */
export function withHandedOn(message: string | undefined, text: string): string {
  const lead = message === undefined || message === "" ? "" : `${message}\n`;
  return text === "" ? (message ?? "") : `${lead}Context:\n${text}`;
}

/** Returns the texts of messages, without results of tools. */
function spoken(messages: readonly ConversationMessage[]): readonly string[] {
  return messages
    .filter((message) => !isToolResult(message))
    .map(({ content }) => contentText(content))
    .filter((text) => text !== "");
}
