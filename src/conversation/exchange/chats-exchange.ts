// Chats of two, chats with a group's manager, and queues of them, as exchanges.
//
//   CCR1. The caller's message is the sender's opening, in place of the chat's own. In a queue it opens the first chat.
//   CCR2. Earlier messages of a start are the history of the first chat.
import { invalidDefinition } from "../../base/invalid-definition.ts";
import type { JsonObject } from "../../base/json.ts";
import { addUsage, addUsageByName, NO_USAGE } from "../../base/usage.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { withMembers } from "../agents/conversable-agent.ts";
import type { Member } from "../agents/conversation-member.ts";
import { checkedPairs, runChatsInOrder } from "../chats/chat-queue.ts";
import type { ChatResult } from "../chats/chat-result.ts";
import type { ChatRounds } from "../chats/chat-rounds.ts";
import type { QueuedChat } from "../chats/queued-chat.ts";
import type { Talk } from "../chats/talk.ts";
import { ContextVariables } from "../context-variables.ts";
import { GroupChatManager } from "../groups/group-chat-manager.ts";
import { openingMessages } from "../groups/run-pattern.ts";
import type { ConversationMessage } from "../messages.ts";
import { chatsGraph } from "../picture/chats-graph.ts";
import type {
  ConversationExchange,
  ExchangeMembers,
  ExchangeOpening,
  ExchangeResult,
} from "./exchange.ts";

/** The sender and the recipient of a chat. */
type ChatPair = readonly [ConversableAgent, ConversableAgent];

/** Returns the exchange of one chat: of two, or of a group with its manager as the recipient. */
export function chatExchange(
  chat: QueuedChat,
  maxRounds: number | undefined,
): ConversationExchange {
  const exchange = queueExchange([chat], undefined, maxRounds);
  const { manager } = exchange.prepare().group;
  const isGroup = manager instanceof GroupChatManager;
  return {
    ...exchange,
    kind: isGroup ? "group_chat" : "chat",
    maxRounds: maxRounds ?? (isGroup ? manager.groupChat.maxRound : undefined),
    run: async (talk, place, opening) => {
      const { chats: _, ...result } = await exchange.run(talk, place, opening);
      return result;
    },
  };
}

/**
 * Returns the exchange of chats in sequence; each receives the summaries of those before it. Throws `invalid_input` for
 * an inconsistent queue.
 */
export function queueExchange(
  queue: readonly QueuedChat[],
  sender: Member | undefined,
  maxRounds: number | undefined,
): ConversationExchange {
  if (!Array.isArray(queue) || queue.length === 0)
    throw invalidDefinition("a queue of chats needs at least one chat");
  const chats = queue.map((chat) => withMembers({ ...(sender && { sender }), ...chat }));
  const opensItself = (chats[0]?.message ?? undefined) !== undefined;
  // The caller may open the first chat.
  const checked = chats.map((chat, index) => (index === 0 ? { message: "", ...chat } : chat));
  const pairs = checkedPairs({ chats: checked }) as readonly ChatPair[];
  const openers = membersOf(pairs.slice(0, 1));
  const everybody = membersOf(pairs);
  return {
    kind: "chats",
    maxRounds,
    opensItself,
    opener: openers.userAgent,
    conversationNames: [],
    prepare: () => everybody,
    openers: () => openers,
    graph: () => chatsGraph(chats, { pairs, members: everybody.group.members }),
    run: async (outer, place, opening) => {
      const talk = outer.apart();
      share(talk, [...everybody.group.members, ...pairs.flat()], opening.contextVariables);
      const opened = openedBy(opening, openers);
      const maxMessages = opening.maxRounds ?? maxRounds;
      const rounds = chats.map((_, index): ChatRounds => {
        const beginning = index === 0 ? opened : { history: [] };
        return { ...beginning, maxMessages, said: [] };
      });
      const results = await runChatsInOrder(talk, place, { chats, rounds });
      return resultOf(results, { pairs, rounds });
    },
  };
}

/** Returns the members of chats: both sides, and the members of groups in place of their managers. */
function membersOf(pairs: readonly ChatPair[]): ExchangeMembers {
  const all = pairs.flatMap(([sender, recipient]) =>
    recipient instanceof GroupChatManager
      ? [sender, ...recipient.groupChat.agents]
      : [sender, recipient],
  );
  const members = [...new Set(all)];
  const [sender, manager] = pairs[0] as ChatPair;
  const initialAgent = members.find((member) => member !== sender) ?? manager;
  return { group: { members, manager }, initialAgent, userAgent: sender };
}

/** Sets variables on top of those of each member, for members with shared variables once. */
function share(
  talk: Talk,
  members: readonly ConversableAgent[],
  ofCaller: JsonObject | undefined,
): void {
  if (ofCaller === undefined) return;
  const owners = new Map<ContextVariables, Set<ConversableAgent>>();
  for (const member of members) {
    const { contextVariables: own } = member;
    owners.set(own, (owners.get(own) ?? new Set()).add(member));
  }
  for (const [own, sharing] of owners)
    talk.share([...sharing], new ContextVariables({ ...own.toObject(), ...ofCaller }));
}

/** Reads the opening of the first chat: the history, and the message of its sender. */
function openedBy(
  { messages }: ExchangeOpening,
  openers: ExchangeMembers,
): Pick<ChatRounds, "history" | "opening"> {
  if (messages.length === 0) return { history: [] };
  const { history, lastMessage } = openingMessages(messages, openers);
  const { role: _, name: __, ...message } = lastMessage;
  const { content, ...more } = message;
  const isPlain = content !== null && Object.keys(more).length === 0;
  return { history, opening: isPlain ? content : message };
}

function resultOf(
  results: readonly ChatResult[],
  {
    pairs,
    rounds,
  }: { readonly pairs: readonly ChatPair[]; readonly rounds: readonly ChatRounds[] },
): ExchangeResult {
  const last = results.at(-1) as ChatResult;
  const said = results.map(({ group }, index): readonly ConversationMessage[] => {
    const { history, said: own } = rounds[index] as ChatRounds;
    return group === undefined ? [...history, ...own] : group.messages;
  });
  const counts = results.map(
    ({ group }, index) => group?.rounds ?? rounds[index]?.said.length ?? 0,
  );
  return {
    summary: last.summary,
    messages: said.flat(),
    lastSpeaker: last.group?.lastSpeaker ?? last.lastSpeaker ?? "",
    contextVariables: last.contextVariables,
    rounds: counts.reduce((sum, count) => sum + count, 0),
    usage: results.map(({ cost }) => cost.total).reduce(addUsage, NO_USAGE),
    usageByAgent: addUsageByName(results.map(({ cost }) => cost.byAgent)),
    reason: last.reason,
    humanInput: results.flatMap(({ humanInput }) => humanInput),
    chats: results.map(({ summary }, index) => {
      const [sender, recipient] = pairs[index] as ChatPair;
      return { sender: sender.name, recipient: recipient.name, summary };
    }),
  };
}
