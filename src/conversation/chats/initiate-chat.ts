// Chats of two, and queues of them, as programs.
import { CHAT_OPTIONS } from "./chat-option-names.ts";
import { refuseUnknownOptions } from "../../base/unknown-options.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import { chatOrder } from "../chat-order.ts";
import type { ChatOptions } from "./chat-options.ts";
import {
  checkedPairs,
  runChatsInOrder,
  runChatsTogether,
  type ChatOfMembers,
} from "./chat-queue.ts";
import type { ChatResult } from "./chat-result.ts";
import { here, localRun, program, type Chatting, type ChatRunOptions } from "./conversation-run.ts";
import type { PrerequisiteChat, QueuedChat } from "./queued-chat.ts";
import { checkChat, runTwoAgentChat } from "./two-agent-chat.ts";

type Pair = readonly [TalkingMember, TalkingMember];

/** Runs a chat of two agents: in the current run, or in a new run without people to answer. */
export async function initiateChat(
  pair: Pair,
  options: ChatOptions,
  run: ChatRunOptions = {},
): Promise<ChatResult> {
  refuseUnknownOptions(options, CHAT_OPTIONS);
  checkChat(pair, options);
  return here(pair[0].name, chatting(pair, options), run);
}

/** Starts a chat as a run in this process. */
export function startChat(
  pair: Pair,
  options: ChatOptions,
  run: ChatRunOptions = {},
): RunHandle<ChatResult> {
  refuseUnknownOptions(options, CHAT_OPTIONS);
  checkChat(pair, options);
  return localRun(pair[0].name, chatting(pair, options), run);
}

/** Makes the program of a chat for a host. */
export function chatProgram(pair: Pair, options: ChatOptions): RunProgram<ChatResult> {
  return program(chatting(pair, options));
}

/**
 * Runs chats in sequence. Each receives the summaries of those before it. Throws `invalid_input` before the first chat
 * if the queue is invalid.
 */
export async function joinChats(
  chats: ReadonlyArray<QueuedChat & ChatOfMembers>,
  sender?: TalkingMember,
  run: ChatRunOptions = {},
): Promise<readonly ChatResult[]> {
  const queue = { chats, ...(sender === undefined ? undefined : { sender }) };
  checkedPairs(queue);
  return here(
    sender?.name ?? "chats",
    async (talk, scope) => [...(await runChatsInOrder(talk, scope, queue))],
    run,
  );
}

/** Starts chats in sequence as one run in this process. Throws as `initiateChats`. */
export function startChats(
  chats: ReadonlyArray<QueuedChat & ChatOfMembers>,
  sender?: TalkingMember,
  run: ChatRunOptions = {},
): RunHandle<ChatResult[]> {
  const queue = { chats, ...(sender === undefined ? undefined : { sender }) };
  checkedPairs(queue);
  const code: Chatting<ChatResult[]> = async (talk, scope) => [
    ...(await runChatsInOrder(talk, scope, queue)),
  ];
  return localRun(sender?.name ?? "chats", code, run);
}

/**
 * Runs chats in parallel, each as soon as its prerequisites have ended; it receives their summaries. Returns the
 * results by `chatId`. Throws `invalid_definition` for chats that wait for each other in a circle, and for an unknown
 * prerequisite.
 */
export async function joinParallelChats(
  chats: ReadonlyArray<PrerequisiteChat & ChatOfMembers>,
  sender?: TalkingMember,
  run: ChatRunOptions = {},
): Promise<ReadonlyMap<number, ChatResult>> {
  const queue = { chats, ...(sender === undefined ? undefined : { sender }) };
  checkedPairs(queue);
  chatOrder(chats);
  const results = await here(
    sender?.name ?? "chats",
    async (talk, scope) => Array.from((await runChatsTogether(talk, scope, queue)).values()),
    run,
  );
  return new Map(chats.map(({ chatId }, index) => [chatId, results[index] as ChatResult]));
}

function chatting(pair: Pair, options: ChatOptions): Chatting<ChatResult> {
  return (talk, scope) => runTwoAgentChat(talk, scope, { pair, options });
}
