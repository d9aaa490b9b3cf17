// The JSON-RPC binding: A2A 1.0 section 9.
//
//   ARP1. One object in a POST. An invalid envelope is -32600, invalid JSON -32700, both without an id.
//   ARP2. Errors of operations have the status 200; earlier errors (no key, too often, too large) also have their HTTP
//         status.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { EngineError } from "../../base/error.ts";
import type { OperationRequest } from "../../parts/operation.ts";
import { isJsonType, mediaType, parseJson, readText } from "../../parts/request-body.ts";
import { A2AError, toA2aError } from "./errors.ts";
import { withFieldNames } from "./field-names.ts";
import { carryOut, extensionHeaders, methodOf, versionOf, type A2AServer } from "./methods.ts";
import { streamAnswer } from "./sse.ts";
import { V03_METHODS, fromV03, toV03 } from "./v0-3/codec.ts";

type Id = string | number | null;

/** Statuses of JSON-RPC answers other than 200. */
const OWN_STATUSES: ReadonlySet<number> = new Set([401, 403, 413, 415, 429, 503]);

/** Answers one JSON-RPC request. */
export async function answerJsonRpc(
  server: A2AServer,
  request: OperationRequest,
): Promise<Response> {
  let id: Id = null;
  try {
    const { raw, params: path } = request;
    const type = mediaType(raw);
    if (!isJsonType(type))
      throw new A2AError(
        "ContentTypeNotSupported",
        `the body must be application/json, got ${type ?? "none"}`,
        { status: 415 },
      );
    const envelope = await readEnvelope(raw, server.host.maxBodyBytes);
    if (isJsonObject(envelope)) id = idOf(envelope) ?? null;
    const { method: name, params } = checkedEnvelope(envelope);
    const version = versionOf(server.options, raw);
    const isOld = version === "0.3";
    const method = isOld ? V03_METHODS[name] : methodOf(name);
    if (method === undefined || (isOld && !Object.hasOwn(V03_METHODS, name)))
      throw new A2AError(
        "MethodNotFound",
        `there is no method ${name.slice(0, 100)} in A2A ${version}${isOld && methodOf(name) !== undefined ? ": send the header A2A-Version: 1.0" : ""}`,
      );
    const named = withFieldNames(params);
    const outcome = await carryOut(server, {
      request,
      name: path["name"] ?? "",
      method,
      params: isOld ? fromV03(method, named) : named,
      version,
    });
    const headers = extensionHeaders(outcome.extensions, version);
    const wrapped = (result: object): object => ({
      jsonrpc: "2.0",
      id,
      result: isOld ? toV03(method, result) : result,
    });
    if ("result" in outcome) return Response.json(wrapped(outcome.result), { headers });
    return streamAnswer({
      updates: outcome.updates,
      stop: outcome.stop,
      clock: server.clock,
      data: wrapped,
      fault: (error) => ({ data: failure(toA2aError(error, server.host.report), id) }),
      headers,
    });
  } catch (error) {
    return failureAnswer(toA2aError(error, server.host.report), id);
  }
}

/** Returns an error as a whole answer. */
export function failureAnswer(error: A2AError, id: Id = null): Response {
  const { status, headers, kind } = error;
  const isOwn = OWN_STATUSES.has(status) || kind === "AgentNotFound";
  // Headers of errors are for clients that read statuses.
  return Response.json(failure(error, id), isOwn ? { status, headers } : {});
}

function failure(error: A2AError, id: Id): object {
  return { jsonrpc: "2.0", id, error: error.toJsonRpc() };
}

async function readEnvelope(raw: Request, maxBytes: number): Promise<JsonValue> {
  try {
    return parseJson((await readText(raw, maxBytes)) ?? "");
  } catch (error) {
    if (
      EngineError.is(error) &&
      error.code === "invalid_input" &&
      !("status" in error && error.status === 415)
    )
      throw new A2AError("ParseError", error.message);
    throw error;
  }
}

function idOf({ id }: JsonObject): Id | undefined {
  return typeof id === "string" || typeof id === "number" || id === null ? id : undefined;
}

function checkedEnvelope(envelope: JsonValue): {
  readonly method: string;
  readonly params: JsonObject;
} {
  if (!isJsonObject(envelope))
    throw new A2AError("InvalidRequest", "a request is one JSON object; batches are not taken");
  const { jsonrpc, method, params = {} } = envelope;
  if (jsonrpc !== "2.0") throw new A2AError("InvalidRequest", 'jsonrpc must be "2.0"');
  if (idOf(envelope) === undefined)
    throw new A2AError(
      "InvalidRequest",
      "id must be a text or a number: there are no notifications",
    );
  if (typeof method !== "string" || method === "")
    throw new A2AError("InvalidRequest", "method must be the name of an operation");
  if (Array.isArray(params))
    throw new A2AError("InvalidParams", "params must be an object, got an array");
  if (!isJsonObject(params)) throw new A2AError("InvalidRequest", "params must be an object");
  return { method, params };
}
