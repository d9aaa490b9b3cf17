// Finds the turn of a request of either API: in the run whose calls or question it answers, otherwise in a new run.
import { wishesContext } from "../../model-calls/caller-wishes.ts";
import type { AgentMessage } from "../../agent/agent-messages.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { AnswerSettings } from "../../llm/answer-settings.ts";
import type { OperationRequest } from "../../parts/operation.ts";
import { mayRead } from "../../parts/rights.ts";
import { settledFor } from "../caller-settings.ts";
import type { ExposedSubject } from "../exposed-subject.ts";
import type { ThreadMessage, ThreadRun } from "../thread-store.ts";
import { historyOf, lastResults, lastWord, type Conversation } from "./chat/messages.ts";
import type { FoundTurn } from "./found-turn.ts";
import { modelIdOf } from "./models.ts";
import { questionIdIn } from "../question-id.ts";
import type { Asker } from "./question-place.ts";
import { checkSame, identityOf, type RequestIdentity } from "./request-identity.ts";
import { noteOf, tryOf, type Try } from "./sdk-retries.ts";
import { SessionRecord, sessionOf } from "./sessions.ts";
import { offeredTools } from "./offered-tools.ts";
import { metaOf, wantedSchema, type SharedBody } from "./schema.ts";
import { openAiSettings, termsOf, type OpenAiSettings } from "./settings.ts";
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
  /** The client's name of the conversation; empty without one. */
  readonly named: string;
  /** Names the field with the conversation's id. */
  readonly namedBy: string;
  /** Run of the latest answer in the conversation, if the client names it. */
  readonly follows?: string | undefined;
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
  /** The question, if only this one may be answered: its wait, or its text in outcomes of earlier versions. */
  readonly asked?: { readonly key: string } | { readonly text: string };
  /** Earlier messages. */
  readonly history: readonly AgentMessage[];
  /** Data of each stored message. */
  readonly data: JsonObject;
  /** True if new messages are stored for later turns. */
  readonly isKept: boolean;
};

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
  const { tenant } = request;
  const asker: Asker = [request.callerId, modelIdOf(exposed), body.user ?? "", named];
  const identity = await identityOf(request, asked.api, body);
  const tried = await tryOf(request, identity);
  const { toolChoice } = offeredTools(body.tools, body.tool_choice);
  const settings = openAiSettings(asked.api, body, toolChoice);
  const { namedBy, follows, chain } = asked;
  const viewer = { callerId: request.callerId, mayRead: mayRead(request.scopes) };
  const about = { tenant, viewer, conversation, asker, namedBy, follows, of: exposed };
  const isNamed = named !== "" || chain?.threadId !== undefined;
  const hasSession = exposed.subject.turn !== undefined && !isNamed;
  const found = async (turn: Turn): Promise<FoundTurn> => {
    const session = hasSession ? new SessionRecord(turns, about, turn) : undefined;
    await session?.begin();
    return {
      turn,
      session,
      endsWithClient: identity.id === undefined,
      tried,
      asked: settings,
      terms: termsOf(settings, usedIn(turn)),
    };
  };
  const again = tried && (await turns.earlierTry(tenant, tried));
  if (again !== undefined && "turn" in again) return found(again.turn);
  const results = lastResults(conversation);
  const taken = results.length > 0 && (await turns.takeResults(tenant, results, exposed));
  if (taken) return found(taken);
  const answered = await answeredTurn(turns, asked, { asker, identity });
  if (answered !== undefined) {
    if (tried !== undefined) await turns.noteTry(tenant, answered, tried);
    return found(answered);
  }
  const session = hasSession ? await sessionOf(turns, about) : named;
  const id = identity.id ?? again?.runId;
  const thread = await started(turns, asked, { asker, identity, id, tried, session, settings });
  await abandon(turns, asked);
  return found(turnOf(thread, []));
}

/** Starts the run of a request, or returns the run with its id. */
async function started(
  turns: Turns,
  asked: TurnRequest,
  about: {
    readonly asker: Asker;
    readonly identity: RequestIdentity;
    readonly id: string | undefined;
    readonly tried: Try | undefined;
    readonly session: string | undefined;
    readonly settings: OpenAiSettings;
  },
): Promise<ThreadRun> {
  const { request, exposed, body } = asked;
  const { tenant } = request;
  const { asker, identity, id, tried, session, settings } = about;
  const { tools, custom, note } = offeredTools(body.tools, body.tool_choice);
  const { where, value } = asked.format;
  const schema = wantedSchema(value, { where, exposed });
  const isAgents = exposed.subject.messagesInput !== undefined;
  const meta = metaOf(body);
  const { used } = settledFor(exposed, settings, turns.models);
  const starting = turns.runs.start(request, exposed, {
    ...(id === undefined ? undefined : { id }),
    note: tried && { ...noteOf(tried), threadId: tried.place },
    ...threadOf(asked, session),
    ...saidIn(asked, note),
    ...(body.inputs == null ? undefined : { data: body.inputs }),
    tools,
    context: wishesContext({
      stream: body.stream === true || body["background"] === true || undefined,
      responseFormat: isAgents ? schema : undefined,
      settings: used,
    }),
    ...(meta === undefined ? undefined : { meta }),
    own: {
      ...asked.own,
      api: asked.api,
      request: identity.digest,
      asker: [...asker],
      settings: used,
      ...(schema === undefined ? undefined : { shaped: true }),
      ...(body.parallel_tool_calls === false ? { serial: true } : undefined),
      ...(custom.length === 0 ? undefined : { custom }),
    },
  });
  const { thread } = await starting.catch(async (error: unknown) => {
    if (tried !== undefined && EngineError.is(error) && error.code === "rate_limited")
      await turns.refusedTry(tenant, tried);
    throw error;
  });
  checkSame(thread.data["request"], identity);
  return thread;
}

/** Returns the run's thread: that of its chain, otherwise the session, or one of its own. */
function threadOf(
  { chain, exposed }: TurnRequest,
  session: string | undefined,
): { readonly threadId?: string } {
  if (chain?.threadId !== undefined) return { threadId: chain.threadId };
  const isNamed = exposed.subject.turn !== undefined && session !== undefined && session !== "";
  return isNamed ? { threadId: session } : {};
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
  readonly history: readonly AgentMessage[];
  readonly messages: ReadonlyArray<Omit<ThreadMessage, "runId" | "createdAtMs">>;
} {
  const notes = [instructions, note].flatMap((content): AgentMessage[] =>
    content == null || content === "" ? [] : [{ role: "system", content }],
  );
  const said = historyOf(conversation);
  if (chain === undefined) return { history: [...notes, ...said], messages: [] };
  const { history, data, isKept } = chain;
  if (!isKept) return { history: [...notes, ...history, ...said], messages: [] };
  const system = said.filter(({ role }) => role === "system");
  const messages = said
    .filter(({ role }) => role !== "system")
    .map(({ role, content }, index) => ({
      id: `said:${index}`,
      role: role === "user" ? ("user" as const) : ("agent" as const),
      content,
      data,
    }));
  return { history: [...notes, ...history, ...system], messages };
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
  { conversation, exposed, chain, request: { tenant } }: TurnRequest,
  { asker, identity }: { readonly asker: Asker; readonly identity: RequestIdentity },
): Promise<Turn | undefined> {
  const last = lastWord(conversation);
  if (last === undefined) return undefined;
  const said = { content: last.content, of: exposed, identity };
  if (chain?.asking !== undefined)
    return turns.takeAnswer(tenant, chain.asking, { ...said, asked: chain.asked });
  const id = questionIdIn(last.asked ?? "");
  const question = id === undefined ? undefined : await turns.question(tenant, asker, id);
  if (question === undefined) return undefined;
  return turns.takeAnswer(tenant, question.runId, { ...said, asked: question });
}
