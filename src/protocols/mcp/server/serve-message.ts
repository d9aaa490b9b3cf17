// Serves one message over HTTP: selects its revision, and answers with a server of its own.
import { noted } from "../../../base/log.ts";
import {
  classifyInboundRequest,
  PerRequestHTTPServerTransport,
  SdkError,
  SdkErrorCode,
  WebStandardStreamableHTTPServerTransport,
  type InboundModernRoute,
} from "@modelcontextprotocol/server";
import { isJsonObject, type JsonValue } from "../../../base/json.ts";
import type { OperationRequest } from "../../../parts/operation.ts";
import { mayRead } from "../../../parts/rights.ts";
import { listen } from "./listen.ts";
import { MODERN, mcpServer } from "./mcp-server.ts";
import type { McpDeployment, McpIdentity } from "./server-context.ts";
import { RUN_ID_PATTERN } from "../../../runtime/run.ts";
import { SESSION_HEADER } from "./http-guard.ts";
import { rpcError } from "./rpc-error.ts";
import { sessionRequest } from "./session.ts";
import { argumentFault, standardFault } from "./request-headers.ts";

const UNSUPPORTED_VERSION = -32022;
const HEADER_MISMATCH = -32020;
const INTERNAL = -32603;
const INVALID_PARAMS = -32602;
const CLIENT_GONE = 499;

/** Answers a message with its body already read. */
export async function serveMessage(
  deployment: McpDeployment,
  request: OperationRequest,
  body: JsonValue,
): Promise<Response> {
  const { headers } = request.raw;
  const header = (name: string): string | undefined => headers.get(name) ?? undefined;
  const version = header("mcp-protocol-version");
  const method = header("mcp-method");
  const name = header("mcp-name");
  const route = classifyInboundRequest({
    httpMethod: "POST",
    body,
    ...(version === undefined ? undefined : { protocolVersionHeader: version }),
    ...(method === undefined ? undefined : { mcpMethodHeader: method }),
    ...(name === undefined ? undefined : { mcpNameHeader: name }),
  });
  const id = idOf(body);
  try {
    if (route.kind === "reject") return rpcError({ ...route, status: route.httpStatus, id });
    return await (route.kind === "modern"
      ? serveModern(deployment, request, route)
      : serveLegacy(deployment, request, body));
  } catch (error) {
    if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
      return new Response(null, { status: CLIENT_GONE });
    deployment.host.report(noted(error, "request_failed"));
    return rpcError({ status: 500, code: INTERNAL, message: "an internal error occurred", id });
  }
}

/** Revision 2026-07-28: each request carries all data for its server. */
async function serveModern(
  deployment: McpDeployment,
  request: OperationRequest,
  { classification, message, messageKind }: InboundModernRoute,
): Promise<Response> {
  const { revision = "unknown" } = classification;
  const id = "id" in message ? message.id : null;
  if (revision !== MODERN)
    return rpcError({
      status: 400,
      code: UNSUPPORTED_VERSION,
      message: `the revision ${revision} is not spoken here`,
      data: { supported: [MODERN], requested: revision },
      id,
    });
  const { raw } = request;
  const fault =
    messageKind === "request" ? headerFault(deployment, message, raw.headers) : undefined;
  if (fault !== undefined)
    return rpcError({ status: 400, code: HEADER_MISMATCH, message: fault, id });
  const identity = identityOf(request);
  if (id !== null && message.method === "subscriptions/listen") {
    const params = (message.params ?? {}) as JsonValue;
    const stream = listen(deployment, identity, { id, params, signal: raw.signal });
    const text = "notifications must be a filter of subscriptions";
    return stream ?? rpcError({ status: 400, code: INVALID_PARAMS, message: text, id });
  }
  const server = mcpServer(deployment, identity, "modern");
  const transport = new PerRequestHTTPServerTransport({ classification });
  await server.connect(transport);
  const response = await transport.handleMessage(message, { request: raw });
  if (messageKind === "notification") await server.close();
  return response;
}

function headerFault(
  { tools }: McpDeployment,
  { method, params }: InboundModernRoute["message"],
  headers: Headers,
): string | undefined {
  const sent = params as JsonValue | undefined;
  const fault = standardFault(method, sent, headers);
  if (fault !== undefined || method !== "tools/call") return fault;
  if (sent === undefined || !isJsonObject(sent)) return undefined;
  const { name, arguments: args } = sent;
  const schema = typeof name === "string" ? tools.ownSchema(name) : undefined;
  return schema === undefined ? undefined : argumentFault(schema, args, headers);
}

/** Passes a request to a session for its answer. */
export function sessionAnswer(
  { sessions }: McpDeployment,
  request: OperationRequest,
  { id, body }: { readonly id: string; readonly body?: JsonValue },
): Promise<Response> {
  const session = RUN_ID_PATTERN.test(id) ? sessions?.(`${request.tenant}/${id}`) : undefined;
  if (session === undefined)
    return Promise.resolve(
      rpcError({ status: 404, code: -32600, message: "there is no such session" }),
    );
  const identity = identityOf(request);
  return session.fetch(
    sessionRequest(request.raw, id, body === undefined ? { identity } : { identity, body }),
  );
}

/** Older revisions, without a session: the client cannot be asked. */
async function serveLegacy(
  deployment: McpDeployment,
  request: OperationRequest,
  parsedBody: JsonValue,
): Promise<Response> {
  const { raw } = request;
  const { sessions, host } = deployment;
  const isFirst = isJsonObject(parsedBody) && parsedBody["method"] === "initialize";
  const id = isFirst ? host.randomId() : raw.headers.get(SESSION_HEADER);
  if (sessions !== undefined && id !== null)
    return sessionAnswer(deployment, request, { id, body: parsedBody });
  const server = mcpServer(deployment, identityOf(request), "legacy");
  const transport = new WebStandardStreamableHTTPServerTransport({});
  await server.connect(transport);
  const end = (): void => void server.close().catch(() => undefined);
  raw.signal.addEventListener("abort", end, { once: true });
  const response = await transport.handleRequest(raw, { parsedBody });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (response.body === null || !isStream) {
    end();
    return response;
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void response.body.pipeTo(writable).then(end, end);
  return new Response(readable, response);
}

function identityOf({ tenant, callerId, scopes }: OperationRequest): McpIdentity {
  return { tenant, callerId, mayRead: mayRead(scopes) };
}

function idOf(body: JsonValue): JsonValue {
  const id = isJsonObject(body) ? body["id"] : undefined;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
