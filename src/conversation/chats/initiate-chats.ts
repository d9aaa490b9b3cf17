// Queues of chats whose senders are named in each of them.
import { withMembers } from "../agents/conversable-agent.ts";
import type { PrerequisiteChat, QueuedChat } from "./chat-queue.ts";
import type { ChatRunOptions } from "./conversation-run.ts";
import { joinChats, joinParallelChats } from "./initiate-chat.ts";
import type { ChatResult } from "./two-agent-chat.ts";

/**
 * Has chats one after another, each of which receives the summaries of those before it. Throws `invalid_input` before the first
 * one for a queue that cannot be had whole.
 */
export function initiateChats(
  chats: readonly QueuedChat[],
  run?: ChatRunOptions,
): Promise<readonly ChatResult[]> {
  return joinChats(chats.map(withMembers), undefined, run);
}

/**
 * Has chats side by side, each as soon as its prerequisites are over, whose summaries it receives. Returns their results by
 * `chatId`. Throws `invalid_definition` for chats that wait for each other in a circle, or for one that there is not.
 */
export function initiateParallelChats(
  chats: readonly PrerequisiteChat[],
  run?: ChatRunOptions,
): Promise<ReadonlyMap<number, ChatResult>> {
  return joinParallelChats(chats.map(withMembers), undefined, run);
}
