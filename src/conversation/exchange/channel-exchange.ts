import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { MAX_ROUNDS, type NetworkChannel } from "../network/network-channel.ts";
import { channelGraph } from "../picture/channel-graph.ts";
import type { ConversationExchange, ExchangeMembers } from "./exchange.ts";

/** Returns the exchange of a network's channel, opened by its initiator with the caller's message. */
export function channelExchange(
  channel: NetworkChannel,
  maxRounds: number = MAX_ROUNDS,
): ConversationExchange {
  const { members } = channel;
  const [initiator, other] = members as readonly [ConversableAgent, ConversableAgent];
  const participants: ExchangeMembers = {
    group: { members, manager: initiator },
    initialAgent: other,
    userAgent: initiator,
  };
  return {
    kind: "channel",
    maxRounds,
    opensItself: false,
    opener: initiator,
    conversationNames: [],
    prepare: () => participants,
    openers: () => participants,
    graph: () => channelGraph(channel),
    run: async (talk, place, { messages, contextVariables, maxRounds: asked = maxRounds }) => {
      const { status, violations, hidden, ...result } = await channel.converse(talk, place, {
        messages,
        maxRounds: asked,
        ...(contextVariables === undefined ? undefined : { contextVariables }),
      });
      const end = {
        status,
        violations: violations.map((each) => ({ ...each })),
        hidden: [...hidden],
      };
      return { ...result, channel: end };
    },
  };
}
