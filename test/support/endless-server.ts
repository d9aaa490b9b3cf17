// A model server on loopback that sends 200 MB in the form that the name of the model says, as fast as it is read.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createGzip } from "node:zlib";

const TOTAL_BYTES = 200 * 1024 * 1024;
const MIB = "a".repeat(1024 * 1024);
const LETTERS = "a".repeat(100);

/** Wire forms, by the end of the path. */
export type EndlessWire = "chat" | "responses" | "anthropic" | "embeddings";

/** `small` is an answer as any other, to warm up. */
export type EndlessForm = "small" | "whole" | "gzip" | "deltas" | "tokens" | "line" | "error";

export type EndlessServer = {
  readonly url: string;
  /** Forms that were asked for, one for each request. */
  readonly asked: EndlessForm[];
  readonly stop: () => Promise<void>;
};

export async function startEndlessServer(): Promise<EndlessServer> {
  const asked: EndlessForm[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, asked).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  asked: EndlessForm[],
): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = JSON.parse(Buffer.concat(pieces).toString()) as { model: EndlessForm };
  const form = body.model;
  asked.push(form);
  const wire = wireOf(request.url ?? "");
  const text = WIRES[wire];
  if (form === "small") {
    response.setHeader("content-type", "application/json");
    response.end(text.before + (wire === "embeddings" ? "0.1" : "Hello.") + text.after);
    return;
  }
  const isStream = form === "deltas" || form === "tokens" || form === "line";
  response.writeHead(form === "error" ? 500 : 200, {
    "content-type": isStream ? "text/event-stream" : "application/json",
    ...(form === "gzip" ? { "content-encoding": "gzip" } : undefined),
  });
  const out = form === "gzip" ? createGzip() : response;
  if (out !== response) out.pipe(response);
  const gone = new Promise((resolve) => {
    response.once("close", resolve);
  });
  const send = async (piece: string): Promise<void> => {
    if (response.destroyed) throw new Error("the client is gone");
    if (out.write(piece)) return;
    const drained = new Promise((resolve) => {
      out.once("drain", resolve);
    });
    await Promise.race([drained, gone]);
  };
  if (isStream) await send(text.start);
  else await send(form === "error" ? '{"error":{"message":"' : text.before);
  const event = form === "tokens" ? text.event(LETTERS).repeat(200) : text.event(MIB);
  const piece = form === "deltas" || form === "tokens" ? event : MIB;
  const first = form === "line" ? 'data: {"a":"' : "";
  await send(first);
  for (let sent = 0; sent < TOTAL_BYTES; sent += piece.length) await send(piece);
  out.end();
}

type Wire = {
  readonly before: string;
  readonly after: string;
  readonly start: string;
  readonly event: (text: string) => string;
};

function wireOf(path: string): EndlessWire {
  if (path.endsWith("/chat/completions")) return "chat";
  if (path.endsWith("/responses")) return "responses";
  return path.endsWith("/embeddings") ? "embeddings" : "anthropic";
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

const WIRES: Readonly<Record<EndlessWire, Wire>> = {
  chat: {
    before: '{"id":"c","choices":[{"index":0,"finish_reason":"stop","message":{"content":"',
    after: '"}}]}',
    start: "",
    event: (content) => data({ id: "c", choices: [{ index: 0, delta: { content } }] }),
  },
  responses: {
    before:
      '{"id":"r","object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"',
    after: '"}]}]}',
    start: "",
    event: (delta) => data({ type: "response.output_text.delta", output_index: 0, delta }),
  },
  anthropic: {
    before:
      '{"id":"m","type":"message","stop_reason":"end_turn","content":[{"type":"text","text":"',
    after: '"}]}',
    start:
      data({ type: "message_start", message: { id: "m" } }) +
      data({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    event: (text) =>
      data({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
  },
  embeddings: {
    before: '{"object":"list","data":[{"object":"embedding","index":0,"embedding":[',
    after: "]}]}",
    start: "",
    event: (text) => text,
  },
};
