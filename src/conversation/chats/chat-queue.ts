// Several chats of two: in sequence, or as soon as their prerequisites have ended.
//
//   CHQ1. In sequence, a chat receives the summaries of all chats before it, except excluded ones.
//   CHQ2. With prerequisites, a chat begins when all of them have ended, and receives only their summaries.
//   CHQ3. Concurrent chats do not see each other's messages: each begins with an empty history. They share variables.
//   CHQ4. An invalid queue is refused before its first chat. A failed chat fails the queue.
import { QUEUED_CHAT_OPTIONS } from "./chat-option-names.ts";
import { refuseUnknownOptions } from "../../base/unknown-options.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";

import type { TalkingMember } from "../agents/talking-member.ts";
import { receivedCarryover, type FinishedChat } from "../carryover.ts";
import { chatOrder } from "../chat-order.ts";
import type { ChatResult } from "./chat-result.ts";
import type { ChatRounds } from "./chat-rounds.ts";
import type { QueuedChat, PrerequisiteChat } from "./queued-chat.ts";
import type { Talk } from "./talk.ts";
import { checkChat, runTwoAgentChat } from "./two-agent-chat.ts";

type Queue<Chat> = { readonly chats: readonly Chat[]; readonly sender?: TalkingMember };

type Pair = readonly [TalkingMember, TalkingMember];

/**
 * Runs the chats in sequence; returns their results in the order of the queue. As the exchange of a conversation, the
 * queue has the rounds of each chat, and was checked.
 */
export async function runChatsInOrder(
  talk: Talk,
  scope: RunScope,
  queue: Queue<QueuedChat & ChatOfMembers> & { readonly rounds?: readonly ChatRounds[] },
): Promise<readonly ChatResult[]> {
  const pairs = queue.rounds === undefined ? checkedPairs(queue) : pairsOf(queue);
  const results: ChatResult[] = [];
  const finished: FinishedChat<number>[] = [];
  for (const [index, chat] of queue.chats.entries()) {
    const carryover = receivedCarryover(
      chat.carryover,
      finished,
      chat.finishedChatIndexesToExcludeFromCarryover,
    );
    const place = scope.at(`chat:${index + 1}`);
    const options = { ...chat, carryover };
    const about = { pair: pairs[index] as Pair, options, rounds: queue.rounds?.[index] };
    const result = await runTwoAgentChat(talk, place, about);
    results.push(result);
    finished.push({ key: index, summary: result.summary });
  }
  return results;
}

/**
 * Runs each chat as soon as its prerequisites have ended; returns the results by `chatId`, in the order of the queue.
 */
export async function runChatsTogether(
  talk: Talk,
  scope: RunScope,
  queue: Queue<PrerequisiteChat & ChatOfMembers>,
): Promise<ReadonlyMap<number, ChatResult>> {
  const pairs = checkedPairs(queue);
  const byId = new Map(queue.chats.map((chat, index) => [chat.chatId, { chat, index }]));
  const running = new Map<number, Promise<ChatResult>>();
  for (const id of chatOrder(queue.chats)) {
    const found = byId.get(id);
    if (found === undefined) continue;
    const { chat, index } = found;
    const pair = pairs[index] as Pair;
    const awaited = (chat.prerequisites ?? []).map(async (key): Promise<FinishedChat<number>> => {
      const { summary } = (await running.get(key)) as ChatResult;
      return { key, summary };
    });
    running.set(id, chatAfter(awaited, { chat, pair, talk, scope: scope.at(`chat:${id}`) }));
  }
  const results = await Promise.all(
    queue.chats.map(
      async ({ chatId }) => [chatId, (await running.get(chatId)) as ChatResult] as const,
    ),
  );
  return new Map(results);
}

async function chatAfter(
  awaited: ReadonlyArray<Promise<FinishedChat<number>>>,
  {
    chat,
    pair,
    talk,
    scope,
  }: {
    readonly chat: PrerequisiteChat;
    readonly pair: Pair;
    readonly talk: Talk;
    readonly scope: RunScope;
  },
): Promise<ChatResult> {
  const finished = await Promise.all(awaited);
  const { carryover: own, finishedChatIndexesToExcludeFromCarryover: excluded } = chat;
  const options = { ...chat, carryover: receivedCarryover(own, finished, excluded) };
  return runTwoAgentChat(talk.beside(), scope, { pair, options });
}

/** Throws `invalid_input` for an invalid queue. */
export function checkedPairs(queue: Queue<QueuedChat & ChatOfMembers>): readonly Pair[] {
  const pairs = pairsOf(queue);
  for (const [index, pair] of pairs.entries())
    checkChat(pair, queue.chats[index] as QueuedChat & ChatOfMembers);
  return pairs;
}

/** Returns the two sides of each chat. Throws `invalid_input` for a chat without one of them. */
function pairsOf({ chats, sender }: Queue<QueuedChat & ChatOfMembers>): readonly Pair[] {
  return chats.map((chat, index): Pair => {
    refuseUnknownOptions(chat, QUEUED_CHAT_OPTIONS);
    const {
      sender: own = sender,
      recipient,
      finishedChatIndexesToExcludeFromCarryover: out = [],
    } = chat;
    if (own === undefined) throw fault(index, "needs a sender");
    if (recipient === undefined) throw fault(index, "needs a recipient");
    if (!Array.isArray(out) || !out.every((each) => Number.isInteger(each)))
      throw fault(
        index,
        `finishedChatIndexesToExcludeFromCarryover must be a list of integers, got ${preview(out)}`,
      );
    return [own, recipient];
  });
}

function fault(index: number, what: string): EngineError {
  return new EngineError("invalid_input", `chat ${index + 1} of the queue: ${what}`);
}

/** A chat with its crew agents wrapped as members. */
export type ChatOfMembers = {
  readonly sender?: TalkingMember;
  readonly recipient: TalkingMember;
};
