// Chats as programs: inside the current run, in one of their own, and as a value for hosts.
import type { JsonValue } from "../../base/json.ts";
import { RunScope } from "../../events/run-scope.ts";
import { scopeHere, servicesHere } from "../../hooks/scoped-services.ts";
import { keySegment } from "../../journal/step-key.ts";
import { LocalRun, type LocalRunOptions } from "../../runtime/handle/local-run.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { chatOrder } from "../chat-order.ts";
import {
  checkedPairs,
  runChatsInOrder,
  runChatsTogether,
  type PrerequisiteChat,
  type QueuedChat,
} from "./chat-queue.ts";
import { ChatPlace } from "./chat-place.ts";
import { Talk } from "./talk.ts";
import { checkChat, runTwoAgentChat, type ChatOptions, type ChatResult } from "./two-agent-chat.ts";

/** What a run of its own takes. Ignored inside another run, which has its own. */
export type ChatRunOptions = LocalRunOptions;

type Pair = readonly [ConversableAgent, ConversableAgent];

/** A piece of talk in a run. */
type Chatting<Output extends JsonValue> = (talk: Talk, scope: RunScope) => Promise<Output>;

/** What was said so far in each drive, for chats that follow one another in one run. */
const talks = new WeakMap<object, Talk>();

/** The conversation of the current drive. */
function talkOf(scope: RunScope): Talk {
  let talk = talks.get(scope.drive);
  if (talk === undefined) talks.set(scope.drive, (talk = new Talk(scope)));
  return talk;
}

/** Has two agents talk: in the current run, or in one of its own, in which nobody can answer for a person. */
export async function initiateChat(
  pair: Pair,
  options: ChatOptions,
  run: ChatRunOptions = {},
): Promise<ChatResult> {
  checkChat(pair, options);
  return here(pair[0].name, chatting(pair, options), run);
}

/** Starts a chat as a run in this process. */
export function startChat(
  pair: Pair,
  options: ChatOptions,
  run: ChatRunOptions = {},
): RunHandle<ChatResult> {
  checkChat(pair, options);
  return localRun(pair[0].name, chatting(pair, options), run);
}

/** What a host runs for a chat. */
export function chatProgram(pair: Pair, options: ChatOptions): RunProgram<ChatResult> {
  return program(chatting(pair, options));
}

/**
 * Has chats one after another, each of which receives the summaries of those before it. Throws `invalid_input` before the first
 * one for a queue that cannot be had whole.
 */
export async function initiateChats(
  chats: readonly QueuedChat[],
  sender?: ConversableAgent,
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

/**
 * Has chats side by side, each as soon as its prerequisites are over, whose summaries it receives. Returns their results by
 * `chatId`. Throws `invalid_definition` for chats that wait for each other in a circle, or for one that there is not.
 */
export async function initiateParallelChats(
  chats: readonly PrerequisiteChat[],
  sender?: ConversableAgent,
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
  return (talk, scope) => runTwoAgentChat(talk, new ChatPlace(scope), { pair, options });
}

async function here<Output extends JsonValue>(
  name: string,
  code: Chatting<Output>,
  run: ChatRunOptions,
): Promise<Output> {
  const scope = RunScope.current();
  if (scope === undefined) return localRun(name, code, run).outputUnattended();
  return code(talkOf(scope), scopeHere(scope.atNext(`chat:${keySegment(name)}`)));
}

function localRun<Output extends JsonValue>(
  name: string,
  code: Chatting<Output>,
  run: ChatRunOptions,
): LocalRun<Output> {
  const services = servicesHere(run.services ?? {});
  const start = { kind: "conversation", name, inputs: {} } as const;
  return new LocalRun(start, program(code), { ...run, services });
}

function program<Output extends JsonValue>(code: Chatting<Output>): RunProgram<Output> {
  return { run: (scope) => code(talkOf(scope), scope.at("chat")), tasks: [] };
}
