import type { JsonValue } from "../../base/json.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import type { ConversationMessage } from "../messages.ts";
import type { ChatInbox } from "./chat-inbox.ts";
import type { ChatOptions } from "./chat-options.ts";

/** A chat as the exchange of a conversation: each message is recorded as a round, in the form of a group's rounds. */
export type ChatRounds = {
  /** Opening message of the caller, in place of the chat's own. A function of the chat receives it. */
  readonly opening?: JsonValue | undefined;
  /** Earlier messages, with the names of their authors. */
  readonly history: readonly ConversationMessage[];
  /** Maximum number of messages, including the opening one. */
  readonly maxMessages: number | undefined;
  /** Receives the messages of a chat of two, in their order. */
  readonly said: ConversationMessage[];
};

/** Messages of people to a chat of two under way. */
export type ChatMail = {
  readonly inbox: ChatInbox;
  /** Number of messages that the maximum does not count (PMS1, PMS3). */
  uncounted: number;
};

/** A chat of two: its sides, its options, and its rounds if it is the exchange of a conversation. */
export type ChatAbout = {
  readonly pair: readonly [TalkingMember, TalkingMember];
  readonly options: ChatOptions;
  readonly rounds?: ChatRounds | undefined;
  /** Only in the exchange of a conversation. */
  readonly mail?: ChatMail | undefined;
};
