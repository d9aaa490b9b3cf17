// Queues of chats that each name their sender.
import { withMembers } from "../agents/conversable-agent.ts";
import type { ChatResult } from "./chat-result.ts";
import type { ChatRunOptions } from "./conversation-run.ts";
import { joinChats, joinParallelChats } from "./initiate-chat.ts";
import type { PrerequisiteChat, QueuedChat } from "./queued-chat.ts";

/**
 * Runs chats in sequence. Each receives the summaries of those before it. Throws `invalid_input` before the first chat
 * if the queue is invalid.
 */
export function initiateChats(
  chats: readonly QueuedChat[],
  run?: ChatRunOptions,
): Promise<readonly ChatResult[]> {
  return joinChats(chats.map(withMembers), undefined, run);
}

/**
 * Runs chats in parallel, each as soon as its prerequisites have ended; it receives their summaries. Returns the
 * results by `chatId`. Throws `invalid_definition` for chats that wait for each other in a circle, and for an unknown
 * prerequisite.
 */
export function initiateParallelChats(
  chats: readonly PrerequisiteChat[],
  run?: ChatRunOptions,
): Promise<ReadonlyMap<number, ChatResult>> {
  return joinParallelChats(chats.map(withMembers), undefined, run);
}
