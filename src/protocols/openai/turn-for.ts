// Finds the turn of a request of either API: in the run whose calls or question it answers, otherwise in a new run.
import { wishesContext } from "../../model-calls/caller-wishes.ts";
import type { AgentMessage } from "../../agent/agent-messages.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { AnswerSettings } from "../../llm/answer-settings.ts";
import type { OperationRequest } from "../../parts/operation.ts";
import { settledFor } from "../caller-settings.ts";
import type { ExposedSubject } from "../exposed-subject.ts";
import type { ThreadMessage } from "../thread-store.ts";
import {
  fingerprintOf,
  historyOf,
  lastResults,
  lastWord,
  type Conversation,
} from "./chat/messages.ts";
import type { FoundTurn } from "./found-turn.ts";
import { modelIdOf } from "./models.ts";
import { checkSame, identityOf } from "./requests.ts";
import { noteOf, tryOf } from "./sdk-retries.ts";
import { offeredTools } from "./offered-tools.ts";
import { metaOf, wantedSchema, type SharedBody } from "./schema.ts";
import { openAiSettings, termsOf } from "./settings.ts";
import { turnOf, type Turn, type Turns } from "./turns.ts";

/** A request in terms of both APIs. */
export type TurnRequest = {
  readonly api: "chat" | "responses";
  readonly request: OperationRequest;
  readonly exposed: ExposedSubject;
  readonly body: SharedBody;
  readonly conversation: Conversation;
  /** Field and value of the answer's form in the body. */
  readonly format: { readonly where: string; readonly value: unknown };
  /** The client's name of the conversation. */
  readonly named: string;
  /** Text for the agent before all other messages. */
  readonly instructions?: string | null | undefined;
  /** Thread continued by the request, if it names one. */
  readonly chain?: TurnChain | undefined;
  /** Further data for the run's record. */
  readonly own?: JsonObject;
};

/** A thread stored for the client. */
export type TurnChain = {
  /** @default a new one */
  readonly threadId?: string;
  /** Run whose question the user's message may answer. */
  readonly asking?: string | undefined;
  /** The question, if only this one may be answered. */
  readonly question?: string;
  /** Earlier messages. */
  readonly history: readonly AgentMessage[];
  /** Data of each stored message. */
  readonly data: JsonObject;
  /** True if new messages are stored for later turns. */
  readonly isKept: boolean;
};

/** Maximum number of runs of one conversation with the same question. */
const MAX_ASKING = 20;

/** Finds or starts the run. Throws for an invalid request. */
export async function turnFor(turns: Turns, request: TurnRequest): Promise<FoundTurn> {
  return foundTurn(turns, { ...request, conversation: answerable(request) });
}

/**
 * Returns the conversation as the subject can answer it: agents continue the assistant's last words, all others answer
 * the user's message before them.
 */
function answerable({ conversation, exposed }: TurnRequest): Conversation {
  const { messages, where } = conversation;
  const last = messages.findLastIndex(({ role }) => role === "user");
  const isUnfinished = messages.at(-1)?.role === "assistant" && last >= 0;
  if (!isUnfinished || exposed.subject.messagesInput !== undefined) return conversation;
  return { messages: messages.slice(0, last + 1), where };
}

async function foundTurn(turns: Turns, asked: TurnRequest): Promise<FoundTurn> {
  const { request, exposed, conversation, body, named } = asked;
  const who = [request.callerId, modelIdOf(exposed), body.user ?? "", named];
  const keepIn = await placeOf(asked, who, conversation.messages);
  const identity = await identityOf(request, asked.api, body);
  const tried = await tryOf(request, identity);
  const { tools, custom, note, toolChoice } = offeredTools(body.tools, body.tool_choice);
  const settings = openAiSettings(asked.api, body, toolChoice);
  const found = (turn: Turn): FoundTurn => ({
    turn,
    keepIn,
    endsWithClient: identity.id === undefined,
    tried,
    asked: settings,
    terms: termsOf(settings, usedIn(turn)),
  });
  const again = tried && (await turns.earlierTry(request.tenant, tried));
  if (again !== undefined && "turn" in again) return found(again.turn);
  const results = lastResults(conversation);
  const taken = results.length > 0 && (await turns.takeResults(request.tenant, results, exposed));
  if (taken) return found(taken);
  const answered = await answeredTurn(turns, asked, who);
  if (answered !== undefined) {
    if (tried !== undefined) await turns.noteTry(request.tenant, answered, tried);
    return found(answered);
  }
  const session = await sessionOf(turns, asked, who);
  const { where, value } = asked.format;
  const schema = wantedSchema(value, { where, exposed });
  const isAgents = exposed.subject.messagesInput !== undefined;
  const meta = metaOf(body);
  const { used } = settledFor(exposed, settings, turns.models);
  const id = identity.id ?? again?.runId;
  const starting = turns.runs.start(request, exposed, {
    ...(id === undefined ? undefined : { id }),
    note: tried && { ...noteOf(tried), threadId: tried.place },
    ...saidIn(asked, note),
    ...(asked.chain === undefined ? { threadId: session ?? keepIn } : undefined),
    ...(body.inputs == null ? undefined : { data: body.inputs }),
    tools,
    context: wishesContext({
      stream: body.stream === true || body["background"] === true,
      responseFormat: isAgents ? schema : undefined,
      settings: used,
    }),
    ...(meta === undefined ? undefined : { meta }),
    own: {
      ...asked.own,
      api: asked.api,
      request: identity.digest,
      settings: used,
      ...(schema === undefined ? undefined : { shaped: true }),
      ...(body.parallel_tool_calls === false ? { serial: true } : undefined),
      ...(custom.length === 0 ? undefined : { custom }),
    },
  });
  const { thread } = await starting.catch(async (error: unknown) => {
    if (tried !== undefined && EngineError.is(error) && error.code === "rate_limited")
      await turns.refusedTry(request.tenant, tried);
    throw error;
  });
  checkSame(thread.data["request"], identity);
  if (exposed.subject.turn !== undefined && named === "")
    await turns.keep(request.tenant, thread, {
      id: "session",
      data: { session: thread.threadId },
      threadId: keepIn,
    });
  await abandon(turns, asked);
  return found(turnOf(thread, []));
}

/** Returns the settings of a run's start. A required tool call applies once: later turns have none. */
function usedIn({ thread, answers }: Turn): AnswerSettings {
  const { toolChoice, ...others } = (thread.data["settings"] ?? {}) as AnswerSettings;
  return answers.length > 0 || toolChoice === undefined ? others : { ...others, toolChoice };
}

/**
 * Returns the messages for the run, and those stored in the thread: none if the client stores the conversation itself.
 */
function saidIn(
  { conversation, instructions, chain }: TurnRequest,
  note: string | undefined,
): {
  readonly threadId?: string;
  readonly history: readonly AgentMessage[];
  readonly messages: ReadonlyArray<Omit<ThreadMessage, "runId" | "createdAtMs">>;
} {
  const notes = [instructions, note].flatMap((content): AgentMessage[] =>
    content == null || content === "" ? [] : [{ role: "system", content }],
  );
  const said = historyOf(conversation);
  if (chain === undefined) return { history: [...notes, ...said], messages: [] };
  const { threadId, history, data, isKept } = chain;
  const thread = threadId === undefined ? undefined : { threadId };
  if (!isKept) return { ...thread, history: [...notes, ...history, ...said], messages: [] };
  const system = said.filter(({ role }) => role === "system");
  const messages = said
    .filter(({ role }) => role !== "system")
    .map(({ role, content }, index) => ({
      id: `said:${index}`,
      role: role === "user" ? ("user" as const) : ("agent" as const),
      content,
      data,
    }));
  return {
    ...thread,
    history: [...notes, ...history, ...system],
    messages,
  };
}

/** Returns the thread of a conversation so far: derived from all messages, without the instructions of a named one. */
function placeOf(
  { api, named }: TurnRequest,
  who: readonly string[],
  messages: Conversation["messages"],
): Promise<string> {
  const isNamed = api === "chat" && named !== "";
  const said = isNamed
    ? messages.filter(({ role }) => !/^(?:system|developer)$/.test(role))
    : messages;
  return fingerprintOf(who, said);
}

/**
 * Returns the session of a flow with conversations of its own: the client's name, otherwise the session of the previous
 * message.
 */
async function sessionOf(
  turns: Turns,
  { request: { tenant }, exposed, conversation, named, chain }: TurnRequest,
  who: readonly string[],
): Promise<string | undefined> {
  if (exposed.subject.turn === undefined || chain !== undefined) return undefined;
  if (named !== "") return named;
  const before = lastWord(conversation)?.before ?? [];
  const thread = { protocol: "openai", threadId: await fingerprintOf(who, before) };
  const rows = await turns.runs.threads.messages(tenant, thread, MAX_ASKING);
  const session = rows.findLast(({ data }) => data?.["session"] !== undefined)?.data?.["session"];
  return typeof session === "string" ? session : undefined;
}

/**
 * Cancels the run of calls that the conversation has left, without results or with another subject, because no other
 * caller can answer them.
 */
async function abandon(
  turns: Turns,
  { request: { tenant }, conversation }: TurnRequest,
): Promise<void> {
  const said = conversation.messages.findLast(({ role }) => role === "assistant");
  const [call = lastResults(conversation)[0]] = said?.tool_calls ?? [];
  if (call !== undefined) await turns.abandon(tenant, call.id);
}

/** Returns the turn of a run whose question the user's last message answers. */
async function answeredTurn(
  turns: Turns,
  request: TurnRequest,
  who: readonly string[],
): Promise<Turn | undefined> {
  const { conversation, exposed, chain } = request;
  const { tenant } = request.request;
  const last = lastWord(conversation);
  if (last === undefined) return undefined;
  const { content } = last;
  if (chain?.asking !== undefined)
    return turns.takeAnswer(tenant, chain.asking, {
      content,
      question: chain.question,
      of: exposed,
    });
  const { asked, before } = last;
  if (asked === undefined || asked === "") return undefined;
  const thread = { protocol: "openai", threadId: await placeOf(request, who, before) };
  const asking = await turns.runs.threads.messages(tenant, thread, MAX_ASKING);
  for (const { runId, data } of asking.toReversed()) {
    const question = data?.["question"];
    if (typeof question !== "string" || !asked.endsWith(question.trim())) continue;
    const turn = await turns.takeAnswer(tenant, runId, { content, question, of: exposed });
    if (turn !== undefined) return turn;
  }
  return undefined;
}
