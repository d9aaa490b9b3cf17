import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import type { Member } from "../agents/conversation-member.ts";
import type { QueuedChat } from "../chats/queued-chat.ts";
import { GroupPattern } from "../groups/patterns.ts";
import { NetworkChannel } from "../network/network-channel.ts";
import { channelExchange } from "./channel-exchange.ts";
import { chatExchange, queueExchange } from "./chats-exchange.ts";
import type { ConversationExchange } from "./exchange.ts";
import { patternExchange } from "./pattern-exchange.ts";

/** Exchange of a conversation: exactly one of these. */
export type ExchangeOptions =
  | {
      /** Members, and their order of speaking. */
      readonly pattern: GroupPattern;
      readonly chat?: undefined;
      readonly chats?: undefined;
      readonly channel?: undefined;
    }
  | {
      /**
       * A chat of two, with the options of `initiateChat`; with a `GroupChatManager` as the recipient, a classic group
       * chat. The caller's message is the sender's opening, in place of `message`.
       */
      readonly chat: Omit<QueuedChat, "finishedChatIndexesToExcludeFromCarryover"> & {
        readonly sender: Member;
      };
      readonly pattern?: undefined;
      readonly chats?: undefined;
      readonly channel?: undefined;
    }
  | {
      /** Chats in sequence, as for `initiateChats`. The caller's message opens the first one. */
      readonly chats: readonly QueuedChat[];
      /** Opens the chats without a sender of their own. */
      readonly sender?: Member;
      readonly pattern?: undefined;
      readonly chat?: undefined;
      readonly channel?: undefined;
    }
  | {
      /** A channel of a network, made by `network.channel()`. The caller's message is its initiator's. */
      readonly channel: NetworkChannel;
      readonly pattern?: undefined;
      readonly chat?: undefined;
      readonly chats?: undefined;
    };

const KINDS = ["pattern", "chat", "chats", "channel"] as const;
const PATTERN_ROUNDS = 20;

/** Returns the exchange that options name. Throws `invalid_definition` and `invalid_input`. */
export function exchangeOf(
  options: ExchangeOptions,
  maxRounds: number | undefined,
): ConversationExchange {
  const named = KINDS.filter((kind) => options[kind] !== undefined);
  if (named.length !== 1)
    throw invalidDefinition(
      `expected one of ${KINDS.join(", ")}, got ${named.length === 0 ? "none" : named.join(" and ")}`,
    );
  if (options.pattern !== undefined) {
    const { pattern } = options;
    if (!(pattern instanceof GroupPattern))
      throw invalidDefinition(
        `pattern must be a pattern, such as new DefaultPattern({ … }), got ${preview(pattern)}`,
      );
    return patternExchange(pattern, maxRounds ?? PATTERN_ROUNDS);
  }
  if (options.chat !== undefined) return chatExchange(options.chat, maxRounds);
  if (options.chats !== undefined) return queueExchange(options.chats, options.sender, maxRounds);
  if (options.channel instanceof NetworkChannel) return channelExchange(options.channel, maxRounds);
  throw invalidDefinition(
    `channel must be a channel of a network, made by network.channel(), got ${preview(options.channel)}`,
  );
}
