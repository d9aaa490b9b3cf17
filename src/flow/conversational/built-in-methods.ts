// Built-in methods of every conversational flow, unless it defines one of the same name.
import { callModel } from "../../model-calls/model-call.ts";
import type { Prompts } from "../../agent/prompts/prompts.ts";
import { Transcript } from "../../model-calls/transcript.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import { UsageMeter } from "../../model-calls/usage-meter.ts";
import type { MethodDefinition } from "../flow-definition.ts";
import type { MethodCall } from "../method-call.ts";
import {
  ANSWER_FROM_HISTORY,
  CONVERSE,
  END,
  type ConversationConfig,
} from "./conversation-config.ts";
import { conversationIn } from "./conversation-state.ts";
import type { ConversationTools, TurnContext } from "./conversation-tools.ts";
import { historyFor } from "./messages.ts";
import { isAnswered, routeFrom, type Sorting } from "./routes.ts";

export const ROUTE_CONVERSATION = "routeConversation";
export const ROUTE_TURN = "routeTurn";

/** CrewAI's names of the methods: a flow's method under such a name also replaces the built-in. */
const FOREIGN_NAMES = new Map([
  [ROUTE_CONVERSATION, "route_conversation"],
  ["converseTurn", "converse_turn"],
  ["endConversation", "end_conversation"],
  ["answerFromHistoryTurn", "answer_from_history_turn"],
  [ROUTE_TURN, "route_turn"],
]);

/** Returns the possible names of a built-in method, Edgecrew's first. */
export function namesOf(builtIn: string): readonly string[] {
  return [builtIn, FOREIGN_NAMES.get(builtIn)].filter((name) => name !== undefined);
}

/** Returns the name of a flow's own version of the method; undefined without one. */
export function ownName(owns: (method: string) => boolean, method: string): string | undefined {
  return namesOf(method).find(owns);
}

export const BUILT_IN_METHODS: Readonly<Record<string, MethodDefinition>> = {
  converseTurn: { listen: CONVERSE },
  endConversation: { listen: END },
  answerFromHistoryTurn: { listen: ANSWER_FROM_HISTORY },
  [ROUTE_CONVERSATION]: { start: true, router: true },
};

/** One call of a method, in a turn. */
export type TurnCall = {
  readonly call: MethodCall;
  readonly turn: TurnContext;
  readonly tools: ConversationTools;
  readonly config: ConversationConfig;
  readonly prompts: Prompts;
  readonly sorting: () => Sorting;
  /** The flow's own `routeTurn`; undefined without one. */
  readonly ownRoute: (() => unknown) | undefined;
};

/** Runs the built-in method and returns its result. */
export function runBuiltIn(method: string, turn: TurnCall): Promise<unknown> {
  switch (method) {
    case ROUTE_CONVERSATION:
      return routeConversation(turn);
    case "converseTurn":
      return converse(turn);
    case "answerFromHistoryTurn":
      return answerFromHistory(turn);
    default:
      return end(turn);
  }
}

async function routeConversation({
  call,
  turn,
  tools,
  config,
  sorting,
  ownRoute,
}: TurnCall): Promise<string> {
  const route =
    (ownRoute === undefined ? await tools.route() : routeFrom(await ownRoute(), "routeTurn")) ??
    turn.intent ??
    (await fromHistory()) ??
    CONVERSE;
  conversationIn(call.copy.state).lastIntent = route;
  call.scope.emit("conversation_route_selected", {
    sessionId: turn.sessionId,
    route,
    userMessage: turn.message,
    messageIndex: turn.messageIndex,
    ...(turn.previousIntent === undefined ? undefined : { previousIntent: turn.previousIntent }),
  });
  return route;

  async function fromHistory(): Promise<string | undefined> {
    const { answerFromHistoryLlm: llm } = config;
    if (llm === undefined || tools.messages.length < 2) return undefined;
    const answered = await isAnswered(call.scope.at("answerable"), sorting(), llm);
    return answered ? ANSWER_FROM_HISTORY : undefined;
  }
}

function converse(about: TurnCall): Promise<string> {
  const { config, prompts } = about;
  return reply(about, {
    llm: conversingModel(config),
    system: config.systemPrompt ?? prompts.slices.conversationalSystemPrompt,
  });
}

/**
 * Returns the conversing model. Without its own setting, another model of the conversation takes its place, as in
 * CrewAI.
 */
function conversingModel(config: ConversationConfig): ModelSpec | undefined {
  const { llm, answerFromHistoryLlm, router, intentLlm } = config;
  return llm ?? answerFromHistoryLlm ?? (router === undefined ? intentLlm : router.llm);
}

function answerFromHistory(about: TurnCall): Promise<string> {
  const { config, prompts } = about;
  return reply(about, {
    llm: config.answerFromHistoryLlm ?? config.llm,
    system: config.answerFromHistoryPrompt ?? prompts.slices.conversationalAnswerFromHistoryPrompt,
  });
}

async function end({ call }: TurnCall): Promise<null> {
  conversationIn(call.copy.state).ended = true;
  return null;
}

/** Lets a model continue the conversation. */
async function reply(
  { call, turn, tools, prompts }: TurnCall,
  { llm, system }: { readonly llm: ModelSpec | undefined; readonly system: string },
): Promise<string> {
  if (llm === undefined) return prompts.conversation.noModel;
  const transcript = new Transcript([
    ...(system === "" ? [] : [{ role: "system", content: system } as const]),
    ...historyFor(tools.messages),
  ]);
  const caller = { model: call.scope.model(llm), budget: {}, meter: new UsageMeter() };
  const { text } = await callModel(call.scope.at("reply"), caller, {
    request: { messages: transcript.messages },
    inputHash: transcript.hash,
    purpose: "chat",
    stream: turn.stream,
  });
  tools.appendMessage({ role: "assistant", content: text });
  return text;
}
