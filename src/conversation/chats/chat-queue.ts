// Several chats of two: one after another, or as soon as those are over that they wait for.
//
//   CHQ1. In a row, a chat receives the summaries of all chats before it, less those that it excludes.
//   CHQ2. With prerequisites, a chat begins when all of its own are over, and receives their summaries alone.
//   CHQ3. Chats that may run at once hear nothing of each other: each begins with an empty history. They share variables.
//   CHQ4. A queue that cannot be had whole is refused before its first chat; a chat that fails fails the queue.
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ConversableAgent, Member } from "../agents/conversable-agent.ts";
import { receivedCarryover, type FinishedChat } from "../carryover.ts";
import { chatOrder } from "../chat-order.ts";
import type { Talk } from "./talk.ts";
import { checkChat, runTwoAgentChat, type ChatOptions, type ChatResult } from "./two-agent-chat.ts";

/** A chat of a queue. */
export type QueuedChat = ChatOptions & {
  /** Who begins. @default the agent whose queue it is */
  readonly sender?: Member;
  readonly recipient: Member;
  /** Chats of the queue, counted from 0, whose summaries it does not receive. @default [] */
  readonly finishedChatIndexesToExcludeFromCarryover?: readonly number[];
};

/** A chat that may wait for others; summaries that it does not receive are named by `chatId`. */
export type PrerequisiteChat = QueuedChat & {
  /** An integer, unique in the queue. */
  readonly chatId: number;
  /** The ids of the chats that must be over. @default [] */
  readonly prerequisites?: readonly number[];
};

/** A chat whose agents of crews have become members. */
export type ChatOfMembers = {
  readonly sender?: ConversableAgent;
  readonly recipient: ConversableAgent;
};

type Queue<Chat> = { readonly chats: readonly Chat[]; readonly sender?: ConversableAgent };

type Pair = readonly [ConversableAgent, ConversableAgent];

/** Has the chats one after another; their results are in the order of the queue. */
export async function runChatsInOrder(
  talk: Talk,
  scope: RunScope,
  queue: Queue<QueuedChat & ChatOfMembers>,
): Promise<readonly ChatResult[]> {
  const pairs = checkedPairs(queue);
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
    // oxlint-disable-next-line no-await-in-loop -- one after another
    const result = await runTwoAgentChat(talk, place, { pair: pairs[index] as Pair, options });
    results.push(result);
    finished.push({ key: index, summary: result.summary });
  }
  return results;
}

/** Has each chat once its prerequisites are over; their results by `chatId`, in the order of the queue. */
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

/** Throws `invalid_input` for a queue that cannot be had whole. */
export function checkedPairs({
  chats,
  sender,
}: Queue<QueuedChat & ChatOfMembers>): readonly Pair[] {
  return chats.map((chat, index): Pair => {
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
    checkChat([own, recipient], chat);
    return [own, recipient];
  });
}

function fault(index: number, what: string): EngineError {
  return new EngineError("invalid_input", `chat ${index + 1} of the queue: ${what}`);
}
