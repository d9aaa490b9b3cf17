import type { ConversationMember } from "../agents/conversation-member.ts";
import type { ConversationMessage } from "../messages.ts";
import type { ChatPlace } from "./chat-place.ts";
import type { Talk } from "./talk.ts";

/** An agent whose group discusses received messages. */
export interface GroupHost {
  readonly members: readonly ConversationMember[];
  /** Lets the group discuss a message of an agent, a member or not. */
  readonly talkAbout: (
    talk: Talk,
    place: ChatPlace,
    opening: {
      readonly initiator: ConversationMember;
      readonly message: unknown;
      readonly clearHistory: boolean;
      /** True if the chat continues: the members' counters stay. */
      readonly goesOn: boolean;
      /** Earlier messages of the group, after those of its own. */
      readonly history: readonly ConversationMessage[];
      /** Maximum number of messages. @default the group's */
      readonly maxRounds?: number | undefined;
    },
  ) => Promise<HostedTalk>;
}

/** Result of a group. */
export type HostedTalk = {
  readonly reason: string;
  /** The author of the last message; the opener of the conversation if no member spoke. */
  readonly lastSpeaker: string;
  /** Messages with the names of their authors. */
  readonly messages: readonly ConversationMessage[];
  /** Number of messages, including the opening one. */
  readonly rounds: number;
};
