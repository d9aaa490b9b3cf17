// The exchange of a conversation: its members, its opening, and how it goes on to its end.
//
//   CRS1. Every conversation has one exchange: a pattern, a chat of two, a queue of chats, or a channel. Runs, messages,
//         forks, pictures and protocols know exchanges alone.
//   CRS2. Each message of an exchange is a round of its run, in one form for all exchanges. The opening of a pattern or a
//         channel is in the run's inputs.
//   CRS3. All exchanges have the same output. Variables of a start are set on top of those of all members.
import type { JsonObject } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { Talk } from "../chats/talk.ts";
import type { GroupChatResult } from "../groups/group-chat-result.ts";
import type { PreparedPattern } from "../groups/prepared-pattern.ts";
import type { ConversationGraph } from "../picture/conversation-graph.ts";

/** Kind of an exchange, in the HTTP API: that of a pattern, or another one. */
export type ExchangeKind =
  | "default"
  | "auto"
  | "round_robin"
  | "random"
  | "manual"
  | "graph"
  | "chat"
  | "group_chat"
  | "chats"
  | "channel";

/** Participants of an exchange. */
export type ExchangeMembers = Pick<PreparedPattern, "initialAgent" | "userAgent"> & {
  readonly group: Pick<PreparedPattern["group"], "manager" | "members">;
};

/** Opening of an exchange. */
export type ExchangeOpening = {
  /** Messages in any spelling; the last one is answered. Empty if the exchange opens itself. */
  readonly messages: readonly unknown[];
  readonly contextVariables?: JsonObject;
  readonly maxRounds?: number | undefined;
  /** Name of the conversation. */
  readonly name: string;
};

/** Result of an exchange. */
export type ExchangeResult = Omit<GroupChatResult, "pending"> & {
  /** Summaries of the chats of a queue, in their order. */
  readonly chats?: ReadonlyArray<{
    readonly sender: string;
    readonly recipient: string;
    readonly summary: string;
  }>;
  /** End of a channel. */
  readonly channel?: JsonObject;
};

/** The exchange of a conversation. A value: any number of runs can take it at once. */
export interface ConversationExchange {
  readonly kind: ExchangeKind;
  /** Maximum number of messages of a run; undefined without a limit. */
  readonly maxRounds: number | undefined;
  /** True if it has an opening message of its own. */
  readonly opensItself: boolean;
  /** The only member that may send the opening message; undefined if any may. */
  readonly opener: ConversableAgent | undefined;
  /** Names of conversations that it may lead to. */
  readonly conversationNames: readonly string[];
  /** Returns its participants. Throws `invalid_definition` for an inconsistent group. */
  prepare(): ExchangeMembers;
  /** Returns the participants that its start messages may name: of a queue, those of the first chat. */
  openers(): ExchangeMembers;
  /** Possible successions of speakers. */
  graph(): ConversationGraph;
  /** Runs it at `place`. */
  run(talk: Talk, place: RunScope, opening: ExchangeOpening): Promise<ExchangeResult>;
}
