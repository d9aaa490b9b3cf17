// A layer between the protocol's client and its transport, for messages the client cannot read or write itself.
//
//   XR1. One invalid tool, or one invalid schema, does not spoil a server's whole list.
//   XR2. A stream that ends before the answer ends the request, without waiting for its timeout.
//   XR3. No two requests of a run have the same id, although each connection has a client with its own counter from
//        zero.
//   XR4. One invalid part of a result does not spoil the others, because the call may have had an effect.
//   XR5. Values nested too deeply for a reader's stack are not read: such a schema accepts any fields, such a result is
//        a failure.
import type {
  JSONRPCMessage,
  MessageExtraInfo,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { repairedParts } from "./repaired-parts.ts";
import { isTooDeep } from "../../../base/json-faults.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";

/** Prefix for methods of the tasks extension, because the client refuses to send their real names. */
export const TASK_METHOD = "edgecrew/";

/** Field that holds a whole result of the tasks extension. */
export const TASK_RESULT = "edgecrewTask";

/** Field of a listed tool with the fault of its schema. */
export const SCHEMA_FAULT = "edgecrew/schemaFault";

/** A transport with messages readable for the client. */
export class RepairingTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  readonly #inner: Transport;
  /** Offset of the client's ids on the wire. */
  readonly #firstId: number;
  readonly #methods = new Map<number, string>();

  constructor(inner: Transport, firstId: number) {
    this.#inner = inner;
    this.#firstId = firstId;
    const handlers: Pick<Transport, "onclose" | "onerror" | "onmessage"> = {
      onclose: () => this.onclose?.(),
      onerror: (error) => this.onerror?.(error),
      onmessage: (message: JSONRPCMessage, extra?: MessageExtraInfo) =>
        this.onmessage?.(this.#received(message), extra),
    };
    Object.assign(inner, handlers);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream ?? false;
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Ends the session of a server of the older era, if there is one. */
  async terminateSession(): Promise<void> {
    const { terminateSession } = this.#inner as { terminateSession?: () => Promise<void> };
    if (this.sessionId !== undefined) await terminateSession?.call(this.#inner);
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    if (!("method" in message)) return this.#inner.send(message, options);
    const { params } = message;
    if (message.method === "notifications/cancelled" && typeof params?.["requestId"] === "number") {
      const requestId = params["requestId"] + this.#firstId;
      return this.#inner.send({ ...message, params: { ...params, requestId } }, options);
    }
    if (!("id" in message) || typeof message.id !== "number")
      return this.#inner.send(message, options);
    const { id } = message;
    const method = message.method.startsWith(TASK_METHOD)
      ? message.method.slice(TASK_METHOD.length)
      : message.method;
    this.#methods.set(id, method);
    return this.#inner.send(
      { ...message, method, id: id + this.#firstId },
      { ...options, onRequestStreamEnd: () => this.#streamEnded(id, options) },
    );
  }

  #streamEnded(id: number, options: TransportSendOptions): void {
    options.onRequestStreamEnd?.();
    if (!this.#methods.delete(id)) return;
    const message = "the server ended the stream without an answer";
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: STREAM_ENDED, message } });
  }

  #received(wire: JSONRPCMessage): JSONRPCMessage {
    if ("method" in wire || typeof wire.id !== "number") return wire;
    const id = wire.id - this.#firstId;
    const message = { ...wire, id };
    const method = this.#methods.get(id);
    this.#methods.delete(id);
    if (!("result" in message)) return message;
    const result = message.result as JsonObject;
    if (method !== "tools/list" && isTooDeep(result))
      return { jsonrpc: "2.0", id, error: { code: TOO_DEEP, message: `the answer ${DEEP}` } };
    if (method?.startsWith("tasks/") === true || result["resultType"] === "task") {
      const kept = { resultType: "complete", content: [], [TASK_RESULT]: result };
      return { ...message, result: kept };
    }
    const { tools, content } = result;
    const isResult = method === "tools/call" && result["resultType"] !== "input_required";
    if (isResult)
      return { ...message, result: { ...result, content: [...repairedParts(content)] } };
    if (method !== "tools/list" || !Array.isArray(tools)) return message;
    const repaired = { ...result, tools: (tools as JsonValue[]).flatMap(repairedTool) };
    return { ...message, result: repaired };
  }
}

/** Code of an error made here. */
export const STREAM_ENDED = -32_000;

const TOO_DEEP = -32_603;
const DEEP = "is nested too deeply";

function repairedTool(tool: JsonValue): readonly JsonObject[] {
  if (!isJsonObject(tool) || typeof tool["name"] !== "string" || tool["name"].trim() === "")
    return [];
  const { name, title, description, annotations, execution } = tool;
  const [inputSchema, fault] = schemaOf(tool["inputSchema"]);
  return [
    {
      name,
      ...(typeof title === "string" ? { title } : undefined),
      ...(typeof description === "string" ? { description } : undefined),
      inputSchema,
      ...(isJsonObject(annotations) ? { annotations: booleans(annotations) } : undefined),
      ...(isJsonObject(execution) ? { execution } : undefined),
      ...(fault === undefined ? undefined : { _meta: { [SCHEMA_FAULT]: fault } }),
    },
  ];
}

/** Returns a readable schema, and the fault of the server's schema. */
function schemaOf(schema: JsonValue | undefined): readonly [JsonObject, string | undefined] {
  if (schema === undefined || !isJsonObject(schema) || schema["type"] !== "object")
    return [{ type: "object" }, "is not the schema of an object"];
  if (isTooDeep(schema)) return [{ type: "object" }, DEEP];
  return [schema, undefined];
}

function booleans(annotations: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(annotations).filter(([, value]) => typeof value === "boolean"),
  );
}
