// Requests for responses, as turns.
import { EngineError } from "../../../base/error.ts";
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import type { AnswerSettings } from "../../../llm/answer-settings.ts";
import type { OperationRequest } from "../../../parts/operation.ts";
import type { PartHost } from "../../../parts/part.ts";
import type { ExposedSubject } from "../../exposed-subject.ts";
import { questionsOf } from "../../run-state.ts";
import { wrong } from "../errors.ts";
import type { FoundTurn } from "../found-turn.ts";
import {
  beginConversation,
  ownConversation,
  threadOfConversation,
} from "../conversations/stored-conversations.ts";
import { modelIdOf } from "../models.ts";
import { turnFor, type TurnChain } from "../turn-for.ts";
import type { Turns } from "../turns.ts";
import { messagesIn } from "./input.ts";
import { responseIdOf, turnIn, type ResponseEcho, type ResponseHead } from "./response.ts";
import type { ResponseBody } from "./schema.ts";
import {
  findResponse,
  historyUpTo,
  keepAsked,
  outcomeOf,
  type ResponseReader,
} from "./stored-responses.ts";

/** A started response. */
export type BegunResponse = FoundTurn & { readonly head: ResponseHead };

/** Limit of the fields repeated from the request, in UTF-16 units. */
const MAX_FIELDS_LENGTH = 300_000;

/** Starts a response, or continues the run it answers. Throws for an invalid request. */
export async function beginResponse(
  host: PartHost,
  turns: Turns,
  about: {
    readonly request: OperationRequest;
    readonly exposed: ExposedSubject;
    readonly body: ResponseBody;
  },
): Promise<BegunResponse> {
  const { request, exposed, body } = about;
  const { tenant } = request;
  const { previous_response_id: previous, input } = body;
  const conversation = conversationIn(body);
  if (previous != null && conversation !== undefined)
    throw wrong("/conversation", "{} cannot be set together with previous_response_id");
  if (body.background === true && body.store === false)
    throw wrong("/background", "{} needs a response that is stored");
  const messages = await messagesIn(input, (id) => referenced(turns, request, id));
  const isResult = messages.at(-1)?.role === "tool";
  const found = await turnFor(turns, {
    api: "responses",
    request,
    exposed,
    body,
    conversation: { messages, where: "/input" },
    format: { where: "/text/format", value: body.text?.format },
    named: "",
    namedBy: "previous_response_id, or in conversation",
    follows: answeredBy(input),
    instructions: body.instructions,
    chain: await chainOf(turns, request, {
      body,
      conversation,
      isResult,
      createdAtMs: host.clock.now(),
    }),
  });
  const { turn } = found;
  const echo: ResponseEcho = {
    model: modelIdOf(exposed),
    created: Math.floor((turn.id === "" ? turn.thread.createdAtMs : host.clock.now()) / 1000),
    background: body.background ?? false,
    instructions: body.instructions ?? null,
    metadata: { ...body.metadata },
    previous: previous ?? null,
    conversation: conversation ?? null,
    store: body.store ?? true,
    fields: fieldsOf(body, found.terms.used),
  };
  await keepAsked(turns, { tenant, turn, echo, input });
  return { ...found, head: { id: responseIdOf(turn), echo } };
}

/** Returns the id of the body's conversation. */
function conversationIn({ conversation }: ResponseBody): string | undefined {
  return typeof conversation === "string" ? conversation : conversation?.id;
}

async function chainOf(
  turns: Turns,
  reader: ResponseReader,
  about: {
    readonly body: ResponseBody;
    readonly conversation: string | undefined;
    readonly isResult: boolean;
    readonly createdAtMs: number;
  },
): Promise<TurnChain | undefined> {
  const { body, conversation, isResult, createdAtMs } = about;
  const { tenant } = reader;
  const isKept = body.store !== false;
  if (conversation !== undefined) {
    const threadId = threadOfConversation(conversation);
    const latest = await turns.runs.threads.latest(tenant, { protocol: "openai", threadId });
    if (latest === undefined)
      await beginConversation(turns, reader, { id: conversation, createdAtMs });
    await ownConversation(turns, reader, conversation);
    const asking = (await askingIn(turns, tenant, threadId)) ?? latest?.runId;
    const history = await turns.runs.log.history(tenant, threadId);
    return { threadId, asking, history, data: {}, isKept };
  }
  const previous = body.previous_response_id;
  if (previous == null) return isKept ? { history: [], data: {}, isKept } : undefined;
  const before = await findResponse(turns, reader, previous).catch((error: unknown) => {
    if (!EngineError.is(error) || error.code !== "not_found") throw error;
    throw wrong("/previous_response_id", `{} names no response that is there`, "not_found");
  });
  const { threadId, runId } = before.turn.thread;
  if (isResult) return { threadId, history: [], data: {}, isKept };
  const outcome = await outcomeOf(turns, tenant, before);
  if (outcome !== undefined && outcome.calls.length > 0) {
    const names = outcome.calls.map(({ id }) => id).join(", ");
    throw wrong("/input", `{} must have the results of the calls ${names} first`);
  }
  const history = await historyUpTo(turns, tenant, { threadId, runId });
  const { question: text = "", asks: key } = outcome ?? {};
  const asked = key === undefined ? { text } : { key };
  return {
    threadId,
    ...(text === "" ? undefined : { asking: runId, asked }),
    history,
    data: { previous: runId },
    isKept,
  };
}

/** Returns the run of a conversation whose question its next message answers. Throws `conflict` for several. */
async function askingIn(
  turns: Turns,
  tenant: string,
  threadId: string,
): Promise<string | undefined> {
  const open = await turns.runs.log.unfinished(tenant, threadId);
  const [asking, another] = open.filter(({ run }) => questionsOf(run).length > 0);
  if (another !== undefined)
    throw new EngineError(
      "conflict",
      "several responses of this conversation ask a question: send the id of one as previous_response_id, without conversation",
    );
  return asking?.run.id;
}

/** Returns the run of the latest answer among the items, if it has the id of one. */
function answeredBy(input: ResponseBody["input"]): string | undefined {
  if (typeof input === "string") return undefined;
  const said = input.findLast(({ id, role, type }) =>
    type === "item_reference" ? id?.startsWith("msg_") : role === "assistant",
  );
  const [, own] = /^msg_(.+)$/.exec(said?.id ?? "") ?? [];
  return own === undefined ? undefined : turnIn(`resp_${own}`)?.runId;
}

/** Returns the text of an item of an earlier response. */
async function referenced(
  turns: Turns,
  reader: ResponseReader,
  id: string,
): Promise<string | undefined> {
  const [, type, own] = /^(msg|fc|ctc|rs)_(.+)$/.exec(id) ?? [];
  if (type === undefined || own === undefined) return undefined;
  if (type !== "msg") return "";
  try {
    const response = await findResponse(turns, reader, `resp_${own}`);
    return (await outcomeOf(turns, reader.tenant, response))?.said ?? "";
  } catch (error) {
    if (EngineError.is(error) && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Returns the request's fields for the response. */
function fieldsOf(body: ResponseBody, used: AnswerSettings): JsonObject {
  const { tools, tool_choice: choice, text } = body;
  const isForced = choice != null && choice !== "auto" && choice !== "none";
  const isUsed = !isForced || used.toolChoice !== undefined;
  const effort = used.reasoningEffort;
  const fields = {
    max_output_tokens: used.maxTokens ?? null,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    reasoning: effort === undefined ? null : { effort, summary: null },
    temperature: used.temperature ?? null,
    top_p: used.topP ?? null,
    tool_choice: (isUsed ? (choice ?? "auto") : "auto") as JsonValue,
    tools: (tools ?? []) as JsonValue,
    text: { format: (text?.format ?? { type: "text" }) as JsonValue },
    truncation: "disabled",
    ...(body.user == null ? undefined : { user: body.user }),
  };
  const isSmall = JSON.stringify(fields).length <= MAX_FIELDS_LENGTH;
  return isSmall ? fields : { ...fields, tools: [], text: { format: { type: "text" } } };
}
