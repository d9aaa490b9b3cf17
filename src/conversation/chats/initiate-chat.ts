// Chats of two agents as programs: inside the current run, in one of their own, and as a value for hosts.
import { RunScope } from "../../events/run-scope.ts";
import type { RunServices } from "../../events/run-services.ts";
import { scopeHere, servicesHere } from "../../hooks/scoped-hooks.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { ModelCatalog } from "../../llm/model-catalog.ts";
import { LocalRun, type LocalRunOptions } from "../../runtime/handle/local-run.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { ChatPlace } from "./chat-place.ts";
import { Talk } from "./talk.ts";
import { checkChat, runTwoAgentChat, type ChatOptions, type ChatResult } from "./two-agent-chat.ts";

/** What a chat in a run of its own takes. Ignored inside another run, which has its own. */
export type StartChatOptions = LocalRunOptions & {
  readonly models?: ModelCatalog;
  readonly services?: RunServices;
};

type Pair = readonly [ConversableAgent, ConversableAgent];

/** What was said so far in each drive, for chats that follow one another in one run. */
const talks = new WeakMap<object, Talk>();

/** The conversation of the current drive. */
export function talkOf(scope: RunScope): Talk {
  let talk = talks.get(scope.drive);
  if (talk === undefined) talks.set(scope.drive, (talk = new Talk(scope)));
  return talk;
}

/** Has two agents talk: in the current run, or in one of its own, which nobody can answer for. */
export async function initiateChat(
  initiator: ConversableAgent,
  recipient: ConversableAgent,
  options: ChatOptions & StartChatOptions,
): Promise<ChatResult> {
  const pair: Pair = [initiator, recipient];
  checkChat(pair, options);
  const scope = RunScope.current();
  if (scope === undefined) return localChat(pair, options).outputUnattended();
  const place = scopeHere(scope.atNext(`chat:${keySegment(initiator.name)}`));
  return runTwoAgentChat(talkOf(scope), new ChatPlace(place), { pair, options });
}

/** Starts a chat as a run in this process. */
export function startChat(
  initiator: ConversableAgent,
  recipient: ConversableAgent,
  options: ChatOptions & StartChatOptions,
): RunHandle<ChatResult> {
  const pair: Pair = [initiator, recipient];
  checkChat(pair, options);
  return localChat(pair, options);
}

/** What a host runs for a chat. */
export function chatProgram(pair: Pair, options: ChatOptions): RunProgram<ChatResult> {
  return {
    run: (scope) => {
      const place = new ChatPlace(scope.at("chat"));
      return runTwoAgentChat(talkOf(scope), place, { pair, options });
    },
    tasks: [],
  };
}

function localChat(pair: Pair, options: ChatOptions & StartChatOptions): LocalRun<ChatResult> {
  const { message, maxTurns, clearHistory, summaryMethod, summaryArgs, carryover, ...local } =
    options;
  const chat = { message, maxTurns, clearHistory, summaryMethod, summaryArgs, carryover };
  const setOptions = Object.fromEntries(
    Object.entries(chat).filter(([, value]) => value !== undefined),
  ) as ChatOptions;
  const start = { kind: "conversation", name: pair[0].name, inputs: {} } as const;
  const services = servicesHere(local.services ?? {});
  return new LocalRun(start, chatProgram(pair, setOptions), { ...local, services });
}
