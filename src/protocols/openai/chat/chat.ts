// Chat completions: each request is a turn of a new or a waiting run.
import { operation, type Operation, type OperationRequest } from "../../../parts/operation.ts";
import { ignoredHeader } from "../../../parts/ignored-header.ts";
import type { PartHost } from "../../../parts/part.ts";
import type { ExposedSubject } from "../../exposed-subject.ts";
import { thrownError } from "../errors.ts";
import { eventStream, type Sink } from "../event-stream.ts";
import { findModel, modelIdOf } from "../models.ts";
import { failureOf } from "../failed-run.ts";
import type { FoundTurn } from "../found-turn.ts";
import { leaving, outliving, threadIn, wholeAnswer, type Follow } from "../requests.ts";
import { readOpenAiBody } from "../schema.ts";
import { turnFor } from "../turn-for.ts";
import { finishOf, isFiltered, type Outcome } from "../outcome.ts";
import type { Turns } from "../turns.ts";
import {
  callsDelta,
  chunkOf,
  completionOf,
  type CompletionHead,
  type Delta,
} from "./completion.ts";
import { chatBody, type ChatBody, chatCompletionShape } from "./schema.ts";

/** `POST /v1/chat/completions`. */
export function chatOperations(host: PartHost, turns: Turns): readonly Operation[] {
  const chat = async (request: OperationRequest): Promise<Response> => {
    const body = await readOpenAiBody(request.raw, chatBody, host.maxBodyBytes);
    const exposed = await findModel(turns.runs.exposure, request.tenant, body.model);
    const found = await turnFor(turns, {
      api: "chat",
      request,
      exposed,
      body,
      conversation: { messages: body.messages, where: "/messages" },
      format: { where: "/response_format", value: body.response_format },
      named: threadIn(request.raw, body.metadata) ?? "",
      namedBy: "the header X-Thread-Id, or in metadata.thread_id",
    });
    return answer(host, turns, { request, body, exposed, found });
  };
  return [
    operation({
      id: "openaiChat",
      method: "post",
      path: "/v1/chat/completions",
      group: "OpenAI compatibility",
      scope: "run",
      summary: "Chat with a crew, an agent or a flow",
      description:
        "Follows OpenAI's API: `model` is an id of GET /v1/models. With `stream` the answer comes as Server-Sent Events.",
      headers: ["Idempotency-Key"],
      rawBody: { name: "ChatCompletionBody", schema: chatBody, types: [] },
      answers: {
        200: {
          description: "The answer",
          shape: chatCompletionShape,
          types: ["text/event-stream"],
          headers: ["X-Edgecrew-Ignored"],
        },
      },
      problems: [400, 404, 409, 413, 415, 429, 502, 503, 504],
      example: { model: "crew/briefing", messages: [{ role: "user", content: "tea" }] },
      sample: { needs: "an exposed subject" },
      handle: (request) => outliving(host, chat(request)),
    }),
  ];
}

async function answer(
  host: PartHost,
  turns: Turns,
  chat: {
    readonly request: OperationRequest;
    readonly body: ChatBody;
    readonly exposed: ExposedSubject;
    readonly found: FoundTurn;
  },
): Promise<Response> {
  const { request, body, exposed, found } = chat;
  const { tenant, raw } = request;
  const { turn, session, asked, terms } = found;
  const kept = turn.id === "" ? undefined : await turns.kept(tenant, turn.thread.runId);
  const outcome = kept && turns.outcomeIn(kept, turn);
  const suffix = turn.id === "" ? "" : `-${turn.id}`;
  const head: CompletionHead = {
    id: `chatcmpl-${turn.thread.runId}${suffix}`,
    created: Math.floor(turn.thread.createdAtMs / 1000),
    model: modelIdOf(exposed),
  };
  let hasRead = false;
  const leave = leaving(host, turns, { tenant, found, hasRead: () => hasRead });
  const follow: Follow = (options) =>
    outcome === undefined
      ? turns.follow(turn, { tenant, ...options }, { session })
      : Promise.resolve(outcome);
  if (body.stream === true) {
    const includesUsage = body.stream_options?.include_usage === true;
    return eventStream(
      host.clock,
      (sink) =>
        stream(sink, { host, head, follow, includesUsage, onText: () => void (hasRead = true) }),
      { onLeave: leave, headers: ignoredHeader(terms.ignored) },
    );
  }
  return wholeAnswer({ raw, leave, follow, asked, terms }, (ended) => {
    const failure = isFiltered(ended) ? undefined : failureOf(ended);
    if (failure !== undefined) throw failure;
    return completionOf(head, ended);
  });
}

async function stream(
  { send, signal }: Sink,
  about: {
    readonly host: PartHost;
    readonly head: CompletionHead;
    readonly follow: Follow;
    readonly includesUsage: boolean;
    readonly onText: () => void;
  },
): Promise<void> {
  const { host, head, follow, includesUsage, onText } = about;
  const put = (delta: Delta, finish?: Outcome["finish"]): void =>
    send(chunkOf(head, { delta, ...(finish && { finish }) }, includesUsage));
  try {
    put({ role: "assistant", content: "", refusal: null });
    let said = "";
    const outcome = await follow({
      signal,
      onAddition: ({ thinking, text }) => {
        onText();
        if (thinking !== "") put({ reasoning_content: thinking });
        if (text !== "") put({ content: text });
        said += text;
      },
    });
    if (outcome === undefined) return;
    const failure = isFiltered(outcome) ? undefined : failureOf(outcome);
    if (failure !== undefined) throw failure;
    if (said === "" && outcome.said !== "") put({ content: outcome.said });
    if (outcome.calls.length > 0) put(callsDelta(outcome));
    put({}, finishOf(outcome));
    if (includesUsage) send(chunkOf(head, { usage: outcome.usage }, includesUsage));
  } catch (error) {
    send(await thrownError(error, host.report));
  }
  send("[DONE]");
}
