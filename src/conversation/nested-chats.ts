// The chats that a member has before it answers, and what they start with.
//
//   NST1. What the parent hands on leaves out its last two messages: they are the hand-over itself.
//   NST2. The first chat without a message opens with what was said last. A chat whose message is empty is left out; when all are, there is no answer.
import { invalidDefinition } from "../base/invalid-definition.ts";
import { contentText, isToolResult, type ConversationMessage } from "./messages.ts";

/** How the parent's messages become carryover of the first nested chat. */
export type CarryoverConfig = {
  readonly summaryMethod: "all" | "last_msg" | "reflection_with_llm" | CarryoverSummary;
  readonly summaryArgs?: Readonly<Record<string, unknown>>;
  /** How many of the last messages are left out. @default 2 */
  readonly leaveOut?: number;
};

/** Makes a text of the parent's messages. */
export type CarryoverSummary = (
  messages: readonly ConversationMessage[],
  summaryArgs: Readonly<Record<string, unknown>>,
) => string | Promise<string>;

/** One chat of a nested queue, as far as its opening is concerned. Its two are members by name, or agents. */
export type NestedChat = {
  readonly recipient: string | { readonly name: string };
  readonly sender?: string | { readonly name: string };
  /** Text, or a function of the parent's messages. None on the first chat: what was said last. */
  readonly message?: string | ((messages: readonly ConversationMessage[]) => string | undefined);
  readonly carryoverConfig?: CarryoverConfig;
};

/** A nested chat that will run, with what it opens with. */
export type OpenedChat<Chat> = {
  readonly chat: Chat;
  readonly message: string;
};

/** The chats of a queue that have something to say. `owner` answers when there are none: with silence. */
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
 * The parent's messages that the first nested chat may know of, and their text when no model is needed for it. Throws
 * `invalid_definition` for a configuration that names no method.
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

/** The message of the first nested chat, with what its parent hands on. */
export function withHandedOn(message: string | undefined, text: string): string {
  const lead = message === undefined || message === "" ? "" : `${message}\n`;
  return text === "" ? (message ?? "") : `${lead}Context:\n${text}`;
}

/** What was said in words, without results of tools. */
function spoken(messages: readonly ConversationMessage[]): readonly string[] {
  return messages
    .filter((message) => !isToolResult(message))
    .map(({ content }) => contentText(content))
    .filter((text) => text !== "");
}
