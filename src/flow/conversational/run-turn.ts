// One turn of a conversation, as durable steps.
//
//   TU1. A turn claims its session, runs the flow over the session's state with the user's message at its end, and
//        stores the result. In between it may wait for people, and be killed: the session stays claimed until the turn
//        has ended.
//   TU2. A failed turn changes nothing in the session: neither its message nor its changes to the state are stored.
//   TU3. The flow's result is the assistant's reply, unless the turn has a reply already, or the result is no text, is
//        a route, was recorded as an agent's result, or is the text of one.
import { EngineError, errorMessage } from "../../base/error.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { jsonView, viewOf } from "../../base/recorded.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { callerStreams } from "../../model-calls/caller-stream.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { FlowStore } from "../flow-store.ts";
import { labelOf } from "../router-label.ts";
import type { MethodCall } from "../method-call.ts";
import { runNoted, type RunnableFlow } from "../run-flow.ts";
import {
  BUILT_IN_METHODS,
  namesOf,
  ownName,
  ROUTE_CONVERSATION,
  ROUTE_TURN,
  runBuiltIn,
  type TurnCall,
} from "./built-in-methods.ts";
import type { ConversationConfig } from "./conversation-config.ts";
import { conversationIn, withoutLists, type ConversationMessage } from "./conversation-state.ts";
import type { TurnContext } from "./conversation-tools.ts";
import { emitMessageAdded } from "./messages.ts";
import { classified, intentModel, routed, type Routes, type Sorting } from "./routes.ts";
import { digestsOf, doneInTurn, textOf } from "./turn-notes.ts";
import { Sessions, type OpenedSession, type SessionRecord } from "./session.ts";
import { conversationTools } from "./tools-for-method.ts";
import { keptOf, openingIn, stateWithMessage, userMessage } from "./turn-state.ts";

/** The message of a turn and its options. */
export type Turn = {
  readonly sessionId: string;
  readonly message: string;
  /** Fields of the state, over those of the session. */
  readonly inputs?: JsonObject | undefined;
  readonly intents?: readonly string[] | undefined;
  readonly intentLlm?: ModelSpec | undefined;
  readonly stream?: boolean | undefined;
};

/** The result of a turn. */
export type TurnOutput = {
  /** Result of the last ended method. */
  readonly value: JsonValue;
  /** Latest message of the assistant in this turn; null without one. */
  readonly reply: string | null;
  /** Public messages of this turn, the user's message first. */
  readonly messages: readonly ConversationMessage[];
  readonly sessionId: string;
  /** Its number in the session, from 1. */
  readonly turn: number;
  readonly route: string | null;
  /** True if the turn ended the conversation. */
  readonly ended: boolean;
  /** The state, without the conversation's lists. */
  readonly state: JsonObject;
};

/** A conversational flow. */
export type ConversingFlow = {
  readonly flow: RunnableFlow;
  readonly config: ConversationConfig;
  readonly routes: Routes;
  /** True for methods the flow defines itself. */
  readonly owns: (method: string) => boolean;
};

/** Runs a turn at `place`, which must have no other use. */
export async function runTurn(
  place: RunScope,
  talk: ConversingFlow,
  { turn, store }: { readonly turn: Turn; readonly store: FlowStore },
): Promise<TurnOutput> {
  const flowName = talk.flow.definition.name;
  const { sessionId } = turn;
  const sessions = new Sessions(store, flowName);
  const at = place.at("session");
  const claim = { sessionId, runId: place.runId, key: at.path };
  const inner = place.open("conversation_turn_started", { flowName, sessionId });
  let isOurs = false;
  try {
    const opened = await at.step<OpenedSession>({
      kind: "effect",
      run: async () => {
        const nowMs = at.clock.now();
        const { runEnded: hasEnded } = place.services;
        if (hasEnded !== undefined) await sessions.makeWay(claim, { nowMs, hasEnded });
        return sessions.open(claim, nowMs);
      },
    });
    isOurs = true;
    const { output, record } = await converse(inner, talk, { turn, last: opened.record });
    await place.at("keep").step<null>({
      kind: "effect",
      run: async () => {
        const nowMs = at.clock.now();
        const begunAtMs = opened.record === null ? nowMs : opened.record.begunAtMs;
        const begun = begunAtMs === undefined ? record : { ...record, begunAtMs };
        await sessions.keep(claim, { base: opened.base, record: begun, nowMs });
        return null;
      },
    });
    place.emit("conversation_turn_completed", { flowName, sessionId });
    return output;
  } catch (error) {
    if (isOurs) await released();
    place.emit("conversation_turn_failed", { flowName, sessionId, error: errorMessage(error) });
    throw error;
  }

  async function released(): Promise<void> {
    try {
      await place.at("release").step<null>({
        kind: "effect",
        run: async () => {
          await sessions.release(claim, at.clock.now());
          return null;
        },
      });
    } catch {
      // The turn's own error is already reported. The next turn sees the ended run and continues.
    }
  }
}

async function converse(
  scope: RunScope,
  talk: ConversingFlow,
  { turn, last }: { readonly turn: Turn; readonly last: SessionRecord | null },
): Promise<{ readonly output: TurnOutput; readonly record: SessionRecord }> {
  const { flow, config, routes } = talk;
  const { sessionId, message } = turn;
  const { state, said, known, messageIndex, previousIntent } = stateWithMessage(flow, turn, last);
  emitMessageAdded(scope, sessionId, { role: "user", content: message, index: messageIndex });
  const sorting: Sorting = { config, routes, prompts: flow.prompts, messages: state.messages };
  const context: TurnContext = {
    sessionId,
    message,
    intent: await intentOf(scope.at("intent"), sorting, turn),
    previousIntent,
    messageIndex,
    stream: turn.stream ?? callerStreams(scope.services),
  };
  const result = await runNoted(
    scope,
    { ...flow, initial: state, run: inTurn(talk, context) },
    { inputs: { id: sessionId } },
  );
  const conversation = conversationIn(result.state);
  const user = userMessage(turn);
  const done = doneInTurn({ messages: said, events: known }, user, result);
  const own: ConversationMessage[] = [user, ...done.said];
  const reply = replyIn(jsonView(result.value), {
    isReplied: own.some(({ role }) => role === "assistant"),
    labels: new Set([...routes.labels, ...(turn.intents ?? []), conversation.lastIntent ?? ""]),
    results: done.results,
  });
  if (reply !== undefined) {
    emitMessageAdded(scope, sessionId, { ...reply, index: messageIndex + own.length });
    own.push(reply);
  }
  const all = {
    ...result.state,
    messages: reply === undefined ? conversation.messages : [...conversation.messages, reply],
    sessionReady: true,
  };
  const number = (last?.turn ?? 0) + 1;
  return {
    record: {
      turn: number,
      ...keptOf(all, config, messageIndex + own.length),
      ...openingIn(last, message),
    },
    output: {
      value: result.value,
      reply: own.findLast(({ role }) => role === "assistant")?.content ?? null,
      messages: own.filter(isVisible),
      sessionId,
      turn: number,
      route: conversation.lastIntent ?? null,
      ended: conversation.ended,
      state: withoutLists(all),
    },
  };
}

/** True if the message is public. */
export function isVisible({ role, content }: ConversationMessage): boolean {
  return (role === "user" || role === "assistant") && content !== "";
}

/** Throws `invalid_input` for a turn with intents but without a model. */
export function intentsOf(
  config: ConversationConfig,
  { intents = config.defaultIntents, intentLlm }: Pick<Turn, "intents" | "intentLlm">,
): { readonly intents: readonly string[]; readonly llm: ModelSpec } | undefined {
  if (intents === undefined) return undefined;
  const llm = intentModel(config, intentLlm);
  if (llm !== undefined) return { intents, llm };
  throw new EngineError(
    "invalid_input",
    "intents need a model that classifies messages: set intentLlm of the conversation, or pass one to handleTurn()",
  );
}

async function intentOf(scope: RunScope, sorting: Sorting, turn: Turn): Promise<string | null> {
  const asked = intentsOf(sorting.config, turn);
  return asked === undefined ? null : classified(scope, sorting, asked);
}

/** The flow's code in this turn: its methods find the conversation, and the built-in ones are there. */
function inTurn(talk: ConversingFlow, turn: TurnContext): RunnableFlow["run"] {
  const { flow, config, routes, owns } = talk;
  return (method: string, call: MethodCall) => {
    const sorting = ({ copy } = call): Sorting => {
      const { messages } = conversationIn(copy.state);
      return { config, routes, prompts: flow.prompts, messages };
    };
    call.conversation = (of) =>
      conversationTools(of, {
        turn,
        config,
        route: () => routed(of.scope.atNext("route"), sorting(of)),
      });
    const tools = call.conversation(call);
    const own = ownName(owns, method);
    if (namesOf(ROUTE_CONVERSATION).includes(own ?? ""))
      return ownRouting(talk, call, async () => flow.run(own ?? method, call));
    if (own !== undefined || !Object.hasOwn(BUILT_IN_METHODS, method))
      return flow.run(own ?? method, call);
    const { routeTurn } = config;
    const ownTurn = ownName(owns, ROUTE_TURN);
    const ownRoute =
      ownTurn === undefined ? routeTurn && (() => routeTurn(tools)) : () => flow.run(ownTurn, call);
    const about: TurnCall = { call, turn, tools, config, prompts: flow.prompts, sorting, ownRoute };
    return runBuiltIn(method, about);
  };
}

/** Stores the result of the flow's own routing as the turn's route, unless the method sets another one. */
async function ownRouting(
  { flow }: ConversingFlow,
  { copy }: MethodCall,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const { lastIntent: before } = conversationIn(copy.state);
  const returned = await run();
  const state = conversationIn(copy.state);
  if (state.lastIntent !== before) return returned;
  const route = labelOf(ROUTE_CONVERSATION, viewOf(returned), flow.graph);
  if (route === undefined) delete state.lastIntent;
  else state.lastIntent = route;
  return returned;
}

/** Returns the reply in the flow's result (TU3). */
function replyIn(
  value: JsonValue,
  about: {
    readonly isReplied: boolean;
    readonly labels: ReadonlySet<string>;
    readonly results: ReadonlySet<string>;
  },
): ConversationMessage | undefined {
  const text = textOf(value);
  if (about.isReplied || text === undefined || text.trim() === "") return undefined;
  const isResult = digestsOf(value).some((digest) => about.results.has(digest));
  if (about.labels.has(text) || isResult) return undefined;
  return { role: "assistant", content: text, metadata: {} };
}
