// Chat completions: each request is a turn of a run, of a new one or of one that waits.
import { EngineError } from "../../../base/error.ts";
import { wishesContext } from "../../../agent/caller-wishes.ts";
import { operation, type Operation, type OperationRequest } from "../../../parts/operation.ts";
import type { PartHost } from "../../../parts/part.ts";
import { HttpError, problemOf, STATUS_BY_CODE } from "../../../parts/problem.ts";
import type { ExposedSubject } from "../../exposure.ts";
import { openAiError, openAiProblem } from "../errors.ts";
import { eventStream, type Sink } from "../event-stream.ts";
import { findModel, modelIdOf } from "../models.ts";
import { cancelling, checkSame, identityOf, threadIn } from "../requests.ts";
import { metaOf, offeredTools, readOpenAiBody, wantedSchema } from "../schema.ts";
import { turnOf, type Outcome, type Turn, type Turns } from "../turns.ts";
import {
  callsDelta,
  chunkOf,
  completionOf,
  type CompletionHead,
  type Delta,
} from "./completion.ts";
import { conversationOf, fingerprintOf, lastAnswer, lastResults } from "./messages.ts";
import { chatBody, type ChatBody } from "./schema.ts";

/** Runs of one conversation that ask the same, at most. */
const MAX_ASKING = 20;

type ChatRequest = {
  readonly request: OperationRequest;
  readonly body: ChatBody;
  readonly exposed: ExposedSubject;
};

/** A turn, and the conversation that its outcome is kept in. */
type ChatTurn = { readonly turn: Turn; readonly conversation: string; readonly cancels: boolean };

/** `POST /v1/chat/completions`. */
export function chatOperations(host: PartHost, turns: Turns): readonly Operation[] {
  return [
    operation({
      id: "openaiChat",
      method: "post",
      path: "/v1/chat/completions",
      group: "OpenAI compatibility",
      scope: "run",
      summary: "Chat with a crew, an agent or a flow",
      description:
        "As OpenAI's API has it: `model` is an id of GET /v1/models. With `stream` the answer comes as Server-Sent Events.",
      headers: ["Idempotency-Key"],
      rawBody: { name: "ChatCompletionBody", schema: chatBody, types: [] },
      answers: {
        200: {
          description: "The answer",
          shape: "ChatCompletion",
          types: ["text/event-stream"],
        },
      },
      problems: [400, 404, 409, 413, 415, 429, 502],
      problemShape: "OpenAiError",
      handle: async (request) => {
        const body = await readOpenAiBody(request.raw, chatBody, host.maxBodyBytes);
        const exposed = await findModel(turns.runs.exposure, request.tenant, body.model);
        return answer(host, turns, { request, body, exposed });
      },
    }),
  ];
}

async function answer(host: PartHost, turns: Turns, chat: ChatRequest): Promise<Response> {
  const { request, body, exposed } = chat;
  const { tenant, raw } = request;
  const chatTurn = await turnFor(turns, chat);
  const { turn, conversation, cancels } = chatTurn;
  const kept = turn.id === "" ? undefined : await turns.kept(tenant, turn.thread.runId);
  const outcome = kept && turns.outcomeIn(kept, turn);
  const suffix = turn.id === "" ? "" : `-${turn.id}`;
  const head: CompletionHead = {
    id: `chatcmpl-${turn.thread.runId}${suffix}`,
    created: Math.floor(turn.thread.createdAtMs / 1000),
    model: modelIdOf(exposed),
  };
  const leave = cancels
    ? cancelling(host, turns.runs.handle(tenant, turn.thread.runId))
    : async () => undefined;
  const follow: Follow = (options) =>
    outcome === undefined
      ? turns.follow(turn, { tenant, ...options }, { keepIn: conversation })
      : Promise.resolve(outcome);
  if (body.stream === true) {
    const includesUsage = body.stream_options?.include_usage === true;
    return eventStream(
      host.clock,
      (sink) => stream(sink, { host, head, follow, includesUsage }),
      leave,
    );
  }
  raw.signal.addEventListener("abort", () => void leave());
  if (raw.signal.aborted) await leave();
  const ended = await follow({ signal: raw.signal });
  return ended === undefined ? new Response(null, { status: 499 }) : whole(head, ended);
}

type Follow = (
  options: Omit<Parameters<Turns["follow"]>[1], "tenant">,
) => Promise<Outcome | undefined>;

function whole(head: CompletionHead, outcome: Outcome): Response {
  const failure = failureOf(outcome);
  if (failure !== undefined) throw failure;
  return Response.json(completionOf(head, outcome));
}

/** The error that a run ended with. Its own tools and models are to blame, never the caller's key or request. */
function failureOf({ status, error }: Outcome): EngineError | undefined {
  if (status === "cancelled")
    return new HttpError("run_cancelled", "the run was cancelled", { status: 409 });
  if (status !== "failed") return undefined;
  const { code, message } = error ?? { code: "internal", message: "the run failed" };
  const known = STATUS_BY_CODE[code];
  const isCallers = code === "invalid_input" || code === "context_window_exceeded";
  return new HttpError(code, message, {
    status: isCallers ? 400 : known >= 500 || code === "model_rate_limited" ? known : 500,
  });
}

async function stream(
  { send, signal }: Sink,
  about: {
    readonly host: PartHost;
    readonly head: CompletionHead;
    readonly follow: Follow;
    readonly includesUsage: boolean;
  },
): Promise<void> {
  const { host, head, follow, includesUsage } = about;
  const put = (delta: Delta, finish?: Outcome["finish"]): void =>
    send(chunkOf(head, { delta, ...(finish && { finish }) }, includesUsage));
  try {
    put({ role: "assistant", content: "", refusal: null });
    let said = "";
    const outcome = await follow({
      signal,
      onAddition: ({ thinking, text }) => {
        if (thinking !== "") put({ reasoning_content: thinking });
        if (text !== "") put({ content: text });
        said += text;
      },
    });
    if (outcome === undefined) return;
    const failure = failureOf(outcome);
    if (failure !== undefined) throw failure;
    if (said === "" && outcome.said !== "") put({ content: outcome.said });
    if (outcome.calls.length > 0) put(callsDelta(outcome));
    put({}, outcome.finish);
    if (includesUsage) send(chunkOf(head, { usage: outcome.usage }, includesUsage));
  } catch (error) {
    const { status } = problemOf(error, host.report);
    const known = EngineError.is(error) && error.code !== "internal" ? error : undefined;
    const { code, message } = known ?? { code: "internal", message: "an internal error occurred" };
    send(openAiError({ code, message }, { status }));
  }
  send("[DONE]");
}

/** The turn that a request is: of the run whose calls or question it answers, else of a new run. */
async function turnFor(turns: Turns, chat: ChatRequest): Promise<ChatTurn> {
  const { request, body, exposed } = chat;
  const { tenant, callerId, raw } = request;
  const named = threadIn(raw, body.metadata);
  const who = [callerId, modelIdOf(exposed), body.user ?? "", named ?? ""];
  const conversation = await fingerprintOf(who, body.messages);
  const identity = await identityOf(request, "chat", body);
  const cancels = identity.id === undefined;
  const results = lastResults(body.messages);
  if (results.length > 0)
    return { turn: await turns.takeResults(tenant, results, exposed), conversation, cancels };
  const answered = await answeredTurn(turns, chat, who);
  if (answered !== undefined) return { turn: answered, conversation, cancels };
  const { tools, note } = offeredTools(body.tools, body.tool_choice);
  const responseFormat = wantedSchema(body.response_format, { where: "/response_format", exposed });
  const messages = conversationOf(body.messages);
  const meta = metaOf(body);
  const { thread } = await turns.runs.start(request, exposed, {
    ...(identity.id === undefined ? undefined : { id: identity.id }),
    threadId: conversation,
    history: note === undefined ? messages : [{ role: "system", content: note }, ...messages],
    messages: [],
    tools,
    context: wishesContext({
      stream: body.stream ?? false,
      responseFormat: ofAgent(exposed, responseFormat),
    }),
    ...(meta === undefined ? undefined : { meta }),
    own: {
      api: "chat",
      request: identity.digest,
      ...(responseFormat === undefined ? undefined : { shaped: true }),
      ...(body.parallel_tool_calls === false ? { serial: true } : undefined),
    },
  });
  checkSame(thread.data["request"], identity);
  return { turn: turnOf(thread, []), conversation, cancels };
}

/** Crews and flows have forms of their own. */
function ofAgent<Format>({ subject }: ExposedSubject, format: Format): Format | undefined {
  return subject.messagesInput === undefined ? undefined : format;
}

/** The turn of a run that has asked what the user's last message answers. */
async function answeredTurn(
  turns: Turns,
  { request: { tenant }, body, exposed }: ChatRequest,
  who: readonly string[],
): Promise<Turn | undefined> {
  const last = lastAnswer(body.messages);
  if (last === undefined) return undefined;
  const threadId = await fingerprintOf(who, last.before);
  const thread = { protocol: "openai", threadId };
  const asking = await turns.runs.threads.messages(tenant, thread, MAX_ASKING);
  for (const { runId, data } of asking) {
    const question = data?.["question"];
    if (typeof question !== "string" || !last.asked.endsWith(question.trim())) continue;
    const turn = await turns.takeAnswer(tenant, runId, { content: last.content, question });
    if (turn?.thread.kind === exposed.kind && turn.thread.name === exposed.name) return turn;
  }
  return undefined;
}
