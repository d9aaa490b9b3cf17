// A model provider on loopback that says what it is told to, in the wire forms of OpenAI's chat completions and
// Responses, of Anthropic's messages, of Gemini and of Bedrock's Converse, streaming or not, and that can fail in every way a
// provider fails.
//
// In a test:            const server = await startModelServer({ reply: (request) => "Hello" });
// As its own process:   node test/support/model-server.ts --port 8123 --replies ./replies.ts
//
// The module given by --replies exports `reply`; without it every call is answered with "ok". The process prints one
// line of JSON, `{"url": …}`, when it listens. Over HTTP: GET /calls, DELETE /calls, POST /replies (a JSON list of
// replies that are used up before `reply` is asked).
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { anthropicAnswer, anthropicEvents } from "./model-server-anthropic.ts";
import { bedrockAnswer, bedrockEvents, bedrockException } from "./model-server-bedrock.ts";
import { ServedFiles } from "./model-server-files.ts";
import { geminiAnswer, geminiEvents } from "./model-server-gemini.ts";
import { openaiAnswer, openaiEvents } from "./model-server-openai.ts";
import { responsesAnswer, responsesEvents } from "./model-server-responses.ts";

export type ServedToolCall = {
  readonly name: string;
  readonly arguments: object | string;
  readonly id?: string;
};

export type ServedReply = {
  readonly text?: string;
  readonly toolCalls?: readonly ServedToolCall[];
  /** Words with which the model refuses, in place of a text; chat completions and the Responses API have a place for them. */
  readonly refusal?: string;
  /** In the words of the wire form asked for. @default by what the reply holds */
  readonly stopReason?: string;
  readonly promptTokens?: number;
  readonly cachedTokens?: number;
  readonly cacheCreationTokens?: number;
  readonly completionTokens?: number;
  readonly reasoningTokens?: number;
  /** Before everything else. Chat completions have no signature. */
  readonly thinking?: { readonly text: string; readonly signature: string };
  /** Further items or blocks of the wire form, after the thinking: what the provider's own tools did. */
  readonly parts?: readonly object[];
  /** Before the answer begins. */
  readonly delayMs?: number;
  /** Between the pieces of a stream. */
  readonly pieceDelayMs?: number;
  /** Answers with this status and `error` in place of a completion. */
  readonly status?: number;
  readonly error?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * `hang`: takes the request and never answers. `reset`: closes the connection without an answer.
   * `cut`: sends half of the answer and closes the connection. `end`: ends a stream half-way, in good order.
   * `stall`: sends half of a stream and then nothing more. `error`: sends half of a stream, then `error` as an event.
   * `garbage`: JSON that does not parse. `empty`: valid JSON without an answer in it. `html`: a page from some proxy.
   */
  readonly fault?:
    | "hang"
    | "reset"
    | "cut"
    | "end"
    | "stall"
    | "error"
    | "garbage"
    | "empty"
    | "html";
};

export type ServedRequest = {
  /** 0 for the first request since the server started. */
  readonly index: number;
  readonly dialect: "openai" | "responses" | "anthropic" | "gemini" | "bedrock";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | undefined;
  readonly model: string;
  readonly stream: boolean;
  /** As they came, in the dialect's own form. */
  readonly messages: readonly { readonly role?: string; readonly content?: unknown }[];
  readonly body: Readonly<Record<string, unknown>>;
};

export type ServedCall = ServedRequest & {
  /** True when the caller hung up before the answer was complete. */
  aborted: boolean;
};

export type ModelServer = {
  /** `http://127.0.0.1:port`; OpenAI's base URL is this with `/v1`. */
  readonly url: string;
  readonly calls: readonly ServedCall[];
  readonly files: ServedFiles;
  stop(): Promise<void>;
};

export type ReplyFunction = (
  request: ServedRequest,
) => ServedReply | string | Promise<ServedReply | string>;

export type ModelServerOptions = {
  readonly reply?: ReplyFunction;
  /** @default any free one */
  readonly port?: number;
};

/** Answers and events of each wire form. */
export const FORMS = {
  openai: { answer: openaiAnswer, events: openaiEvents },
  responses: { answer: responsesAnswer, events: responsesEvents },
  anthropic: { answer: anthropicAnswer, events: anthropicEvents },
  gemini: { answer: geminiAnswer, events: geminiEvents },
  bedrock: { answer: bedrockAnswer, events: bedrockEvents },
};

export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const { reply = () => "ok", port = 0 } = options;
  const calls: ServedCall[] = [];
  const queued: (ServedReply | string)[] = [];
  const files = new ServedFiles();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const whole = await bodyOf(request);
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    if (await files.handle(request, { path, body: whole, response })) return;
    const text = whole.toString("utf8");
    if (path === "/calls") {
      const made = JSON.stringify(calls);
      if (request.method === "DELETE") calls.length = 0;
      return sendJson(response, 200, made);
    }
    const body = JSON.parse(text || "null") as unknown;
    if (path === "/replies") {
      queued.push(...(body as (ServedReply | string)[]));
      return sendJson(response, 200, "{}");
    }
    const dialect = dialectOf(path);
    if (dialect === undefined || !isObject(body)) return sendJson(response, 404, "{}");
    const call = {
      ...servedRequest(request, { path, dialect, body }),
      index: calls.length,
      aborted: false,
    };
    calls.push(call);
    response.on("close", () => (call.aborted = !response.writableFinished));
    const missing = files.missingIn(body);
    if (missing !== undefined)
      return answer(response, call, { status: 404, error: `File not found: ${missing}` });
    const chosen = queued.shift() ?? (await reply(call));
    await answer(response, call, typeof chosen === "string" ? { text: chosen } : chosen);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      sendJson(
        response,
        500,
        JSON.stringify({ error: { message: `model server: ${String(error)}` } }),
      );
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    files,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  response: ServerResponse,
  request: ServedRequest,
  reply: ServedReply,
): Promise<void> {
  if (reply.delayMs) await wait(reply.delayMs);
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  const { fault } = reply;
  if (fault === "hang") return;
  if (fault === "reset") return void response.destroy();
  if (fault === "html")
    return send(response, { status: 200, type: "text/html", text: "<h1>Welcome</h1>" });
  if (reply.status !== undefined && reply.status >= 400) {
    return sendJson(response, reply.status, errorBody(request, reply));
  }
  if (request.stream) return stream(response, request, reply);
  const whole = JSON.stringify(FORMS[request.dialect].answer(request, reply));
  if (fault === "empty") return sendJson(response, 200, "{}");
  if (fault === "garbage") return sendJson(response, 200, `${whole.slice(0, whole.length / 2)}!`);
  if (fault === "cut" || fault === "stall" || fault === "end") {
    response.writeHead(200, { "content-type": "application/json", "content-length": whole.length });
    response.write(whole.slice(0, whole.length / 2));
    if (fault !== "stall") setImmediate(() => response.destroy());
    return;
  }
  return sendJson(response, 200, whole);
}

async function stream(
  response: ServerResponse,
  request: ServedRequest,
  reply: ServedReply,
): Promise<void> {
  const { fault } = reply;
  const events: readonly (string | Buffer)[] = FORMS[request.dialect].events(request, reply);
  const isBinary = request.dialect === "bedrock";
  const type = isBinary ? "application/vnd.amazon.eventstream" : "text/event-stream";
  response.writeHead(200, { "content-type": type });
  const half = Math.ceil(events.length / 2);
  const stopsHalfWay = fault !== undefined && ["cut", "stall", "end", "error"].includes(fault);
  const sent = stopsHalfWay ? events.slice(0, half) : events;
  for (const [index, event] of (fault === "empty" ? [] : sent).entries()) {
    if (index > 0 && reply.pieceDelayMs) await wait(reply.pieceDelayMs);
    if (response.destroyed) return;
    const isGarbage = fault === "garbage" && index === half;
    response.write(isGarbage ? Buffer.from(`${String(event).slice(0, -9)}\n\n`) : event);
  }
  if (fault === "stall") return;
  if (fault === "error")
    response.write(
      isBinary ? bedrockException(reply) : `event: error\ndata: ${errorBody(request, reply)}\n\n`,
    );
  if (fault === "cut") {
    response.write(events[half]?.slice(0, 9) ?? "");
    setImmediate(() => response.destroy());
    return;
  }
  response.end();
}

function errorBody({ dialect }: ServedRequest, { status, error }: ServedReply): string {
  if (typeof error === "object") return JSON.stringify(error);
  const message = error ?? `scripted ${status}`;
  if (dialect === "bedrock") return JSON.stringify({ message });
  if (dialect === "gemini")
    return JSON.stringify({ error: { code: status, message, status: "SCRIPTED" } });
  return JSON.stringify(
    dialect !== "anthropic"
      ? { error: { message, type: "scripted_error", code: null } }
      : { type: "error", error: { type: "scripted_error", message } },
  );
}

function servedRequest(
  request: IncomingMessage,
  {
    path,
    dialect,
    body,
  }: { path: string; dialect: ServedRequest["dialect"]; body: Record<string, unknown> },
): Omit<ServedRequest, "index"> {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  return {
    dialect,
    path: request.url ?? path,
    headers,
    idempotencyKey: headers["idempotency-key"],
    model: modelIn(path) ?? String(body["model"]),
    stream: body["stream"] === true || /:streamGenerateContent|\/converse-stream/.test(path),
    messages: listIn(body, LISTS[dialect]),
    body,
  };
}

/** The model that a path names: of Gemini, and of Bedrock. */
function modelIn(path: string): string | undefined {
  const [, model] = /models\/([^:]+)|\/model\/([^/]+)/.exec(path)?.filter(Boolean) ?? [];
  return model === undefined ? undefined : decodeURIComponent(model);
}

/** Where each wire form has its messages. */
export const LISTS = {
  openai: "messages",
  anthropic: "messages",
  responses: "input",
  gemini: "contents",
  bedrock: "messages",
};

function listIn(body: Record<string, unknown>, name: string): ServedRequest["messages"] {
  const list = body[name];
  return Array.isArray(list) ? (list as ServedRequest["messages"]) : [];
}

export function dialectOf(path: string): ServedRequest["dialect"] | undefined {
  if (path.endsWith("/chat/completions")) return "openai";
  if (path.endsWith("/responses")) return "responses";
  if (/:(?:stream)?generateContent$/i.test(path)) return "gemini";
  if (/\/converse(?:-stream)?$/.test(path)) return "bedrock";
  return path.endsWith("/messages") ? "anthropic" : undefined;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function sendJson(response: ServerResponse, status: number, text: string): void {
  send(response, { status, type: "application/json", text });
}

function send(
  response: ServerResponse,
  { status, type, text }: { status: number; type: string; text: string },
): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) });
  response.end(text);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { port: { type: "string", default: "0" }, replies: { type: "string" } },
  });
  const scripted = values.replies
    ? ((await import(pathToFileURL(values.replies).href)) as { reply: ReplyFunction })
    : {};
  const { url } = await startModelServer({ ...scripted, port: Number(values.port) });
  process.stdout.write(`${JSON.stringify({ url })}\n`);
}
