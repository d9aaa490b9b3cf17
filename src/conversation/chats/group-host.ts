import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { ConversationMessage } from "../messages.ts";
import type { ChatPlace } from "./chat-place.ts";
import type { Talk } from "./talk.ts";

/** Whoever has a group talk about what it is told. */
export interface GroupHost {
  readonly members: readonly ConversableAgent[];
  /** Has the group talk about a message of an agent's, who is a member of it or not. */
  readonly talkAbout: (
    talk: Talk,
    place: ChatPlace,
    opening: {
      readonly initiator: ConversableAgent;
      readonly message: unknown;
      readonly clearHistory: boolean;
      /** Whether the chat has begun: what was counted of its members stays. */
      readonly goesOn: boolean;
    },
  ) => Promise<HostedTalk>;
}

/** What a group came to. */
export type HostedTalk = {
  readonly reason: string;
  /** The member who said something last, or whoever opened the conversation. */
  readonly lastSpeaker: string;
  /** Each message with the name of who said it. */
  readonly messages: readonly ConversationMessage[];
  /** How many messages, with the opening one. */
  readonly rounds: number;
};
