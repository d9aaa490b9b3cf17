// Responses: turns that are stored, polled, streamed from any place and cancelled.
import { EngineError } from "../../../base/error.ts";
import { operation, type Operation, type OperationRequest } from "../../../parts/operation.ts";
import { ignoredHeader } from "../../../parts/ignored-header.ts";
import type { PartHost } from "../../../parts/part.ts";
import { isTerminal } from "../../../runtime/run.ts";
import { thrownError } from "../errors.ts";
import { eventStream } from "../event-stream.ts";
import { findModel } from "../models.ts";
import { failureOf } from "../failed-run.ts";
import { cancelling, leaving, outliving, staying, wholeAnswer, type Follow } from "../requests.ts";
import { itemsQuery, pageOfItems } from "../page-of-items.ts";
import { readOpenAiBody } from "../schema.ts";
import type { Outcome } from "../outcome.ts";
import type { FollowedTurn, Turns } from "../turns.ts";
import { beginResponse, type BegunResponse } from "./create.ts";
import { ResponseEvents } from "./response-events.ts";
import { responseOf, statusOf } from "./response.ts";
import {
  responseBody,
  streamQuery,
  type ResponseBody,
  openAiDeletedShape,
  openAiInputItemsShape,
  openAiResponseShape,
} from "./schema.ts";
import type { ViewOf } from "../../../parts/shape.ts";
import { findResponse, markDeleted, outcomeOf, type StoredResponse } from "./stored-responses.ts";

const shared = { group: "OpenAI compatibility" } as const;
const SHOWN = { 200: { description: "The response", shape: openAiResponseShape } };
const NEEDS = { needs: "a response of POST /v1/responses" };

/** `/v1/responses`. */
export function responseOperations(host: PartHost, turns: Turns): readonly Operation[] {
  const context = responseContextOf(host, turns);
  return [
    openaiResponse(context),
    openaiGetResponse(context),
    openaiDeleteResponse(context),
    openaiCancelResponse(context),
    openaiInputItems(context),
  ];
}

type ResponseContext = ReturnType<typeof responseContextOf>;

function responseContextOf(host: PartHost, turns: Turns) {
  const find = (request: OperationRequest): Promise<StoredResponse> =>
    findResponse(turns, request, request.params["id"] ?? "");
  const respond = async (request: OperationRequest): Promise<Response> => {
    const body = await readOpenAiBody(request.raw, responseBody, host.maxBodyBytes);
    const exposed = await findModel(turns.runs.exposure, request.tenant, body.model);
    const begun = await beginResponse(host, turns, { request, exposed, body });
    return answer(host, turns, { request, body, begun });
  };

  return { host, turns, find, respond };
}

const openaiResponse = ({ host, respond }: ResponseContext) =>
  operation({
    ...shared,
    id: "openaiResponse",
    method: "post",
    path: "/v1/responses",
    scope: "run",
    summary: "Ask a crew, an agent or a flow for a response",
    description:
      "Follows OpenAI's API. With `background` the run continues without the request: poll the response, or stream it from any event on.",
    headers: ["Idempotency-Key"],
    rawBody: { name: "ResponseBody", schema: responseBody, types: [] },
    answers: {
      200: { ...SHOWN[200], types: ["text/event-stream"], headers: ["X-Edgecrew-Ignored"] },
    },
    problems: [400, 404, 409, 413, 415, 429, 502, 503, 504],
    example: { model: "crew/briefing", input: "tea" },
    sample: { needs: "an exposed subject" },
    handle: (request) => outliving(host, respond(request)),
  });

const openaiGetResponse = ({ host, turns, find }: ResponseContext) =>
  operation({
    ...shared,
    id: "openaiGetResponse",
    method: "get",
    path: "/v1/responses/{id}",
    scope: "read",
    summary: "Show a response",
    description: "With `stream=true`, streams its events after the number `starting_after`.",
    rawQuery: streamQuery,
    query: streamQuery,
    sample: NEEDS,
    answers: { 200: { ...SHOWN[200], types: ["text/event-stream"] } },
    problems: [400, 404],
    handle: async (request) => {
      const response = await find(request);
      const { stream, starting_after: after } = request.query;
      if (stream === "true") return streamed(host, turns, { ...request, response, after });
      return { status: 200, json: await shownOf(turns, request.tenant, response) };
    },
  });

const openaiDeleteResponse = ({ host, turns, find }: ResponseContext) =>
  operation({
    ...shared,
    id: "openaiDeleteResponse",
    method: "delete",
    path: "/v1/responses/{id}",
    scope: "run",
    summary: "Delete a response",
    description: "Cancels an active run. The run is deleted with the last of its responses.",
    sample: NEEDS,
    answers: { 200: { description: "Deleted", shape: openAiDeletedShape } },
    problems: [404],
    handle: async (request) => {
      const response = await find(request);
      await remove(host, turns, { tenant: request.tenant, response });
      const { id } = response.head;
      return { status: 200, json: { id, object: "response", deleted: true } };
    },
  });

const openaiCancelResponse = ({ host, turns, find }: ResponseContext) =>
  operation({
    ...shared,
    id: "openaiCancelResponse",
    method: "post",
    path: "/v1/responses/{id}/cancel",
    scope: "run",
    summary: "Cancel a response",
    sample: NEEDS,
    answers: SHOWN,
    problems: [404],
    handle: async (request) => {
      const response = await find(request);
      if ((await outcomeOf(turns, request.tenant, response)) === undefined)
        await cancelling(host, turns.runs.handle(request.tenant, response.turn.thread.runId))();
      return { status: 200, json: await shownOf(turns, request.tenant, response) };
    },
  });

const openaiInputItems = ({ find }: ResponseContext) =>
  operation({
    ...shared,
    id: "openaiInputItems",
    method: "get",
    path: "/v1/responses/{id}/input_items",
    scope: "read",
    summary: "List the input of a response",
    query: itemsQuery,
    sample: NEEDS,
    answers: { 200: { description: "The items", shape: openAiInputItemsShape } },
    problems: [400, 404],
    handle: async (request) => {
      const { items } = await find(request);
      return { status: 200, json: pageOfItems(items, request.query) };
    },
  });

async function answer(
  host: PartHost,
  turns: Turns,
  about: {
    readonly request: OperationRequest;
    readonly body: ResponseBody;
    readonly begun: BegunResponse;
  },
): Promise<Response> {
  const { request, body, begun } = about;
  const { tenant, raw } = request;
  const { turn, head, session, asked, terms } = begun;
  const headers = ignoredHeader(terms.ignored);
  const response = { turn, head, items: [], kept: await turns.kept(tenant, turn.thread.runId) };
  const isBackground = body.background === true;
  const leave = isBackground ? staying : leaving(host, turns, { tenant, found: begun });
  if (body.stream === true)
    return streamed(host, turns, {
      tenant,
      response,
      leave,
      showsThinking: !isBackground,
      session,
      headers,
    });
  if (isBackground) return Response.json(await shownOf(turns, tenant, response), { headers });
  const followed: Follow = (options) => follow(turns, { tenant, response, session }, options);
  return wholeAnswer({ raw, leave, follow: followed, asked, terms }, (outcome) => {
    const failure = statusOf(outcome) === "failed" ? failureOf(outcome) : undefined;
    if (failure !== undefined) throw failure;
    return responseOf(head, { outcome });
  });
}

/** Follows a response to its end, or repeats its stored outcome. */
async function follow(
  turns: Turns,
  about: {
    readonly tenant: string;
    readonly response: StoredResponse;
  } & Pick<FollowedTurn, "session">,
  options: Parameters<Follow>[0],
): Promise<Outcome | undefined> {
  const { tenant, response, session } = about;
  const { turn, head, kept } = response;
  const known = turns.outcomeIn(kept, turn);
  const asked = { session, always: head.echo.store };
  return known ?? turns.follow(turn, { tenant, ...options }, asked);
}

function streamed(
  host: PartHost,
  turns: Turns,
  about: {
    readonly tenant: string;
    readonly response: StoredResponse;
    readonly leave?: (() => Promise<void>) | undefined;
    readonly after?: number | undefined;
    /** Sends thoughts too, which a resumed stream cannot repeat. */
    readonly showsThinking?: boolean;
    readonly headers?: Readonly<Record<string, string>>;
  } & Pick<FollowedTurn, "session">,
): Response {
  const { response, leave = staying, after, showsThinking = false, headers = {} } = about;
  return eventStream(
    host.clock,
    async ({ send, signal }) => {
      const events = new ResponseEvents(response.head, send, after);
      try {
        events.begin();
        const outcome = await follow(turns, about, {
          signal,
          onAddition: ({ text, thinking }) =>
            events.add({ text, thinking: showsThinking ? thinking : "" }),
        });
        if (outcome !== undefined) events.end(outcome);
      } catch (error) {
        const { error: shown } = await thrownError(error, host.report);
        send({ ...shown, type: "error", sequence_number: 0 }, "error");
      }
    },
    { onLeave: leave, headers },
  );
}

async function shownOf(
  turns: Turns,
  tenant: string,
  response: StoredResponse,
): Promise<ViewOf<typeof openAiResponseShape>> {
  const outcome = await outcomeOf(turns, tenant, response);
  if (outcome !== undefined) return responseOf(response.head, { outcome });
  const { run } = await turns.runs.find(tenant, response.turn.thread.runId);
  const status = run.status === "queued" ? "queued" : "in_progress";
  return responseOf(response.head, { status });
}

async function remove(
  host: PartHost,
  turns: Turns,
  { tenant, response }: { readonly tenant: string; readonly response: StoredResponse },
): Promise<void> {
  const { runId } = response.turn.thread;
  const isLast = await markDeleted(turns, tenant, response);
  const { run } = await turns.runs.find(tenant, runId);
  if (!isTerminal(run.status)) {
    const isItsTurn = isLast || turns.outcomeIn(response.kept, response.turn) === undefined;
    if (isItsTurn) await cancelling(host, turns.runs.handle(tenant, runId))();
  }
  if (!isLast) return;
  await host.runs.delete(tenant, runId).catch((error: unknown) => {
    // An open run is deleted by its retention.
    if (!EngineError.is(error) || error.code !== "conflict") throw error;
  });
}
