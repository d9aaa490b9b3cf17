// A2A: other agents call the exposed subjects of the app. Mounted by `defineApp({ parts: [a2a()] })`.
import * as z from "zod";
import { operation, type Operation, type OperationRequest } from "../../parts/operation.ts";
import type { BoundPart, Part, PartHost } from "../../parts/part.ts";
import type { Problem } from "../../parts/problem.ts";
import type { WebhookDelivery } from "../../runtime/deliveries/webhooks.ts";
import { isLoopbackRequest } from "../../security/loopback.ts";
import type { ExposedSubject } from "../exposed-subject.ts";
import { PROTOCOL_MIGRATIONS, ProtocolRuns, type ProtocolStores } from "../protocol-runs.ts";
import { shownA2ui } from "./a2ui.ts";
import type { AgentCard } from "./agent-card.ts";
import { cardAnswer, cardOf } from "./card.ts";
import { CardSigner } from "./card-signing.ts";
import {
  listTasksQuery,
  restAnswer,
  restBodies,
  rpcRequest,
  versionHeader,
  a2aCardShape,
  a2aRpcAnswerShape,
  a2aRpcErrorShape,
  a2aErrorShape,
} from "./description.ts";
import { A2AError, type A2AErrorName } from "./errors.ts";
import { a2aEvents } from "./events.ts";
import { withTaskEvents } from "./task-events.ts";
import { answerRest, restFailure, type RestCall } from "./http-json.ts";
import { answerJsonRpc, failureAnswer } from "./json-rpc.ts";
import type { A2AServer } from "./methods.ts";
import { checkOptions, versionsOf, type A2AOptions } from "./options.ts";
import type { Method } from "./schema.ts";
import { OidcCallers, type OidcAuth } from "./oidc.ts";
import { A2A_FORMAT, pushBody, pushedUpdate } from "./push.ts";
import { a2aServerEvents } from "./artifacts/events.ts";
import { a2aResultOf } from "./task-result.ts";
import type { TaskSource } from "./task-view.ts";
import { sendsPush } from "./begin-task.ts";
import { A2ATasks } from "./tasks.ts";
import { updateToV03, withV03Members } from "./v0-3/codec.ts";
import { oldRestBodies } from "./v0-3/description.ts";

const BASE = "/a2a/{name}";
const CARD = "/.well-known/agent-card.json";
/** Tenant of the cards without a key. */
const PUBLIC_TENANT = "default";
const GROUP = "A2A";

/** Creates the part. Fails with `invalid_definition` for invalid options. */
export function a2aPart(options: A2AOptions, stores: ProtocolStores): Part {
  checkOptions(options);
  const signer = new CardSigner(options.signing);
  const filter: NonNullable<TaskSource["filter"]> = (parts, { extensions = [] }) =>
    shownA2ui(parts, extensions, options.a2ui);
  return {
    name: "a2a",
    docs: "a2a.md",
    migrations: PROTOCOL_MIGRATIONS,
    events: [...a2aServerEvents, ...a2aEvents],
    wrap: withTaskEvents,
    webhookFormats: {
      [A2A_FORMAT]: pushBody(filter),
      [`${A2A_FORMAT}-0.3`]: (delivery: WebhookDelivery) => {
        const update = pushedUpdate(delivery, filter);
        return update && (updateToV03(update) as ReturnType<ReturnType<typeof pushBody>>);
      },
    },
    bind: (host) => {
      const runs = new ProtocolRuns("a2a", host, { options, stores, resultOf: a2aResultOf });
      const tasks = new A2ATasks(runs, host, { options, filter });
      const card = async (
        exposed: ExposedSubject,
        request: Request,
        { isExtended }: { readonly isExtended: boolean },
      ): Promise<AgentCard> => {
        const place = placeOf(exposed, request, { host, options });
        return signer.signed(cardOf(exposed, options, { ...place, isExtended }), host.variables);
      };
      const server: A2AServer = { options, host, runs, tasks, card, clock: host.clock };
      return bound(server);
    },
  };
}

function bound(server: A2AServer): BoundPart {
  const { options, runs } = server;
  const isOld = versionsOf(options).includes("0.3");
  return {
    operations: [
      ...cardOperations(server),
      jsonRpcOperation(server),
      ...restOperations(server, ""),
      ...(isOld ? restOperations(server, "/v1") : []),
    ],
    problems: {
      matches: (path) => isOurs(path) && !path.endsWith(CARD),
      form: (path) => ({ shape: isRpc(path) ? a2aRpcErrorShape : a2aErrorShape }),
      answer: a2aProblem,
    },
    ...(options.oidc === undefined
      ? undefined
      : { callers: { matches: isOurs, find: oidcFind(options.oidc, server.host) } }),
    due: () => runs.due(),
  };
}

function isRpc(path: string): boolean {
  return /^\/a2a\/[^/]+\/?$/.test(path);
}

function isOurs(path: string): boolean {
  return path.startsWith("/a2a/");
}

function oidcFind(auth: OidcAuth, host: PartHost): OidcCallers["find"] {
  let callers: OidcCallers | undefined;
  return (request) => {
    const { clock } = host;
    // Outbound rules are read at first use, so a wrong setting does not stop the whole Worker.
    callers ??= new OidcCallers(auth, { clock, policy: host.placeOf(PUBLIC_TENANT).outbound });
    return callers.find(request);
  };
}

/** Returns the deployment's facts for a card (AK1). */
function placeOf(
  { publicName }: ExposedSubject,
  request: Request,
  { host, options }: { host: PartHost; options: A2AOptions },
): { url: string; isKeyed: boolean; sendsPush: boolean } {
  const origin = options.url?.replace(/\/$/, "") ?? new URL(request.url).origin;
  const auth = host.variables["EDGECREW_AUTH"] ?? "keys";
  const isOpen = auth === "open-to-everybody" || (auth === "open" && isLoopbackRequest(request));
  return {
    url: `${origin}${host.basePath ?? ""}/a2a/${encodeURIComponent(publicName)}`,
    isKeyed: !isOpen,
    sendsPush: sendsPush(options, host),
  };
}

function cardOperations(server: A2AServer): readonly Operation[] {
  const { options, runs } = server;
  const { publicCards: isPublic = true, root } = options;
  const answer = async (exposed: ExposedSubject, raw: Request): Promise<Response> => {
    const card = await server.card(exposed, raw, { isExtended: false });
    const { signatures: _, ...unsigned } = card;
    return cardAnswer(withV03Members(card), { request: raw, unsigned, isPublic });
  };
  const shared = {
    method: "get",
    group: GROUP,
    scope: isPublic ? "none" : "read",
    answers: {
      200: { description: "The card", shape: a2aCardShape, headers: ["ETag"] },
      304: { description: "As the client has it", headers: ["ETag"] },
    },
    problems: [404, 503],
  } as const;
  const tenantOf = ({ tenant }: OperationRequest): string => (isPublic ? PUBLIC_TENANT : tenant);
  const own = operation({
    ...shared,
    id: "a2aCard",
    path: `${BASE}${CARD}`,
    summary: "Show the card of an agent",
    description:
      "Skills and endpoints of the agent. Returns 304 for the `ETag` of an earlier answer.",
    sample: { needs: "an agent that A2A callers may call" },
    handle: async (request) => {
      const exposed = await runs.exposure.find(tenantOf(request), request.params["name"] ?? "");
      return answer(exposed, request.raw);
    },
  });
  if (root === undefined) return [own];
  const slash = root.indexOf("/");
  const ref = { kind: root.slice(0, slash), name: root.slice(slash + 1) };
  return [
    own,
    operation({
      ...shared,
      id: "a2aRootCard",
      path: CARD,
      summary: "Show the card of this Worker's own agent",
      handle: async (request) =>
        answer(await runs.exposure.findOwn(tenantOf(request), ref), request.raw),
    }),
  ];
}

function jsonRpcOperation(server: A2AServer): Operation {
  return operation({
    id: "a2aJsonRpc",
    method: "post",
    path: BASE,
    group: GROUP,
    // Each method has a scope of its own; see methods.ts.
    scope: "key",
    summary: "Call an agent over JSON-RPC",
    description:
      "The JSON-RPC binding of A2A: `SendMessage`, `SendStreamingMessage`, `GetTask`, `ListTasks`, `CancelTask`, `SubscribeToTask`, push notification configurations, `GetExtendedAgentCard`. Needs the header `A2A-Version`.",
    sample: { needs: "an agent that A2A callers may call" },
    headers: [versionHeader(server.options)],
    rawBody: { name: "A2ARequest", schema: rpcRequest, types: [] },
    example: { jsonrpc: "2.0", id: 1, method: "ListTasks", params: {} },
    answers: {
      200: {
        description: "A JSON-RPC response, or a stream of them; errors of operations, too",
        shape: a2aRpcAnswerShape,
        types: ["text/event-stream"],
        headers: ["A2A-Extensions"],
      },
    },
    problems: [404, 429],
    handle: (request) => answerJsonRpc(server, request),
  });
}

type Route = {
  readonly id: string;
  readonly scope: Operation["scope"];
  readonly method: "get" | "post" | "delete";
  readonly path: string;
  readonly summary: string;
  /** Operation with the documented answer. */
  readonly documents: Method;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: keyof typeof restBodies;
  readonly call: (request: OperationRequest) => RestCall | undefined;
};

const ROUTES: readonly Route[] = [
  {
    id: "Send",
    scope: "run",
    method: "post",
    path: "/{verb}",
    summary: "Send a message to an agent, and wait for the answer or stream it",
    documents: "SendMessage",
    params: z.object({ verb: z.enum(["message:send", "message:stream"]) }),
    body: "SendMessage",
    call: ({ params: { verb } }) => {
      if (verb === "message:send") return { method: "SendMessage", body: "needed" };
      return verb === "message:stream"
        ? { method: "SendStreamingMessage", body: "needed" }
        : undefined;
    },
  },
  {
    id: "Tasks",
    scope: "read",
    method: "get",
    path: "/tasks",
    summary: "List tasks",
    documents: "ListTasks",
    query: listTasksQuery,
    call: () => ({ method: "ListTasks" }),
  },
  {
    id: "Task",
    scope: "read",
    method: "get",
    path: "/tasks/{id}",
    summary: "Show a task, or subscribe to it with `:subscribe`",
    documents: "GetTask",
    query: z.object({ historyLength: z.int().min(0).optional() }),
    call: ({ params: { id = "" } }) => taskCall(id, ["subscribe", ""]),
  },
  {
    id: "TaskAction",
    // Cancel and subscribe have scopes of their own; see methods.ts.
    scope: "key",
    method: "post",
    path: "/tasks/{id}",
    summary: "Cancel a task with `:cancel`, or subscribe to it with `:subscribe`",
    documents: "CancelTask",
    params: z.object({ id: z.string().regex(/^[^:]+:(cancel|subscribe)$/) }),
    body: "CancelTask",
    call: ({ params: { id = "" } }) => taskCall(id, ["subscribe", "cancel"]),
  },
  {
    id: "CreatePush",
    scope: "run",
    method: "post",
    path: "/tasks/{id}/pushNotificationConfigs",
    summary: "Have changes of a task pushed to an address",
    documents: "CreateTaskPushNotificationConfig",
    body: "CreateTaskPushNotificationConfig",
    call: ({ params: { id: taskId = "" } }) => ({
      method: "CreateTaskPushNotificationConfig",
      path: { taskId },
      body: "needed",
    }),
  },
  {
    id: "ListPush",
    scope: "read",
    method: "get",
    path: "/tasks/{id}/pushNotificationConfigs",
    summary: "List the addresses that changes of a task are pushed to",
    documents: "ListTaskPushNotificationConfigs",
    call: ({ params: { id: taskId = "" } }) => ({
      method: "ListTaskPushNotificationConfigs",
      path: { taskId },
    }),
  },
  {
    id: "GetPush",
    scope: "read",
    method: "get",
    path: "/tasks/{id}/pushNotificationConfigs/{configId}",
    summary: "Show an address that changes of a task are pushed to",
    documents: "GetTaskPushNotificationConfig",
    call: ({ params: { id: taskId = "", configId: id = "" } }) => ({
      method: "GetTaskPushNotificationConfig",
      path: { taskId, id },
    }),
  },
  {
    id: "DeletePush",
    scope: "run",
    method: "delete",
    path: "/tasks/{id}/pushNotificationConfigs/{configId}",
    summary: "Push no more changes of a task to an address",
    documents: "DeleteTaskPushNotificationConfig",
    call: ({ params: { id: taskId = "", configId: id = "" } }) => ({
      method: "DeleteTaskPushNotificationConfig",
      path: { taskId, id },
    }),
  },
  {
    id: "ExtendedCard",
    scope: "read",
    method: "get",
    path: "/extendedAgentCard",
    summary: "Show the card of an agent as callers with a key see it",
    documents: "GetExtendedAgentCard",
    call: () => ({ method: "GetExtendedAgentCard" }),
  },
];

/** Parses `id`, `id:cancel` or `id:subscribe`. */
function taskCall(segment: string, verbs: readonly string[]): RestCall | undefined {
  const [id = "", verb = ""] = segment.split(":", 2);
  if (!verbs.includes(verb)) return undefined;
  const path = { id };
  if (verb === "cancel") return { method: "CancelTask", path, body: "optional" };
  if (verb === "subscribe") return { method: "SubscribeToTask", path };
  return { method: "GetTask", path };
}

function bodiesOf(
  version: "1.0" | "0.3",
): Record<keyof typeof restBodies, NonNullable<Operation["rawBody"]>> {
  return version === "1.0" ? restBodies : { ...restBodies, ...oldRestBodies };
}

function restOperations(server: A2AServer, prefix: "" | "/v1"): readonly Operation[] {
  const version = prefix === "" ? "1.0" : "0.3";
  return ROUTES.map((route) =>
    operation({
      id: `a2a${prefix === "" ? "" : "Old"}${route.id}`,
      method: route.method,
      path: `${BASE}${prefix}${prefix !== "" && route.id === "ExtendedCard" ? "/card" : route.path}`,
      group: GROUP,
      scope: route.scope,
      summary: prefix === "" ? route.summary : `${route.summary} (A2A 0.3)`,
      description: `The HTTP+JSON binding of A2A. Needs the header \`A2A-Version: ${version}\`.`,
      sample: { needs: "an agent that A2A callers may call" },
      headers: [versionHeader(server.options, version)],
      ...(route.params && { pathParams: route.params }),
      ...(route.query && { rawQuery: route.query }),
      ...(route.body && { rawBody: bodiesOf(version)[route.body] }),
      answers: { 200: restAnswer(route.documents, version) },
      problems: [400, 404, 413, 415, 429, 504],
      handle: async (request) => {
        const call = route.call(request);
        if (call === undefined)
          return restFailure(
            new A2AError("MethodNotFound", `no resource at ${new URL(request.raw.url).pathname}`),
          );
        return answerRest(server, request, { ...call, version });
      },
    }),
  );
}

const KINDS: Readonly<Record<string, A2AErrorName>> = {
  unauthorized: "Unauthenticated",
  forbidden: "PermissionDenied",
  not_found: "MethodNotFound",
  rate_limited: "RateLimited",
  payload_too_large: "TooLarge",
  internal: "Internal",
  unavailable: "Unavailable",
};

/** Converts a problem of the layers before an operation, such as a missing key, to the form of the binding. */
async function a2aProblem(problem: Response, request: Request): Promise<Response> {
  const { code, detail } = (await problem.json()) as Problem;
  const headers = Object.fromEntries(
    [...problem.headers].filter(([name]) => !/^content-(type|length)$/.test(name)),
  );
  const { status } = problem;
  const error = new A2AError(KINDS[code] ?? "InvalidRequest", detail, { status, headers });
  if (!isRpc(new URL(request.url).pathname)) return restFailure(error);
  const answer = failureAnswer(error);
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return new Response(answer.body, { status, headers: answer.headers });
}
