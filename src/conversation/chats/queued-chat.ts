import type { Member } from "../agents/conversation-member.ts";
import type { ChatOptions } from "./chat-options.ts";

/** A chat of a queue. */
export type QueuedChat = ChatOptions & {
  /** Opens the chat. @default the agent of the queue */
  readonly sender?: Member;
  readonly recipient: Member;
  /** Indexes of chats in the queue, from 0, whose summaries it does not receive. @default [] */
  readonly finishedChatIndexesToExcludeFromCarryover?: readonly number[];
};

/** A chat with prerequisites. Excluded summaries are named by `chatId`. */
export type PrerequisiteChat = QueuedChat & {
  /** An integer, unique in the queue. */
  readonly chatId: number;
  /** Ids of chats that must end first. @default [] */
  readonly prerequisites?: readonly number[];
};
