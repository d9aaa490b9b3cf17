// Event stream that stays open while its run waits, without cost for the run's object.
//
//   OP1. While the run waits, the Worker keeps the client's stream and receives the next event over a WebSocket, which
//        hibernates with the object. So the object is not in memory, and the client gets an answer's event immediately.
//   OP2. Without a WebSocket, the stream ends like one without `follow=1`.
import { eventStreamParser } from "../../base/event-stream-parser.ts";
import { TERMINAL_EVENTS } from "../../events/run-event.ts";
import { cursorOf, KEEP_ALIVE_MS, MAX_STREAM_MS, RECONNECT_MS } from "./event-stream.ts";

/** Worker's end of a WebSocket. */
type ClientSocket = {
  accept(): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "message" | "close" | "error", listener: () => void): void;
};

/** Forwards a request to the run's object. */
type Connect = (request: Request) => Promise<Response>;

/**
 * Returns the stream `first`, the response to `request`, continued after each wait of the run, for at most ten minutes
 * in all.
 */
export function keepOpen(first: Response, request: Request, connect: Connect): Response {
  if (first.body === null) return first;
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const untilMs = Date.now() + MAX_STREAM_MS;
  let { after } = cursorOf(request);
  let ended = false;
  const parse = eventStreamParser();
  const again = (headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    connect(new Request(request.url, { headers: { ...headers, "Last-Event-ID": String(after) } }));

  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined = first.body.getReader();
  const left = new AbortController();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (value !== undefined) {
          for (const { id, event = "" } of parse(decoder.decode(value, { stream: true }))) {
            if (id !== undefined) after = Number(id);
            ended = TERMINAL_EVENTS.has(event);
          }
          return controller.enqueue(value);
        }
        if (done) reader = undefined;
        const leftMs = untilMs - Date.now();
        if (ended || leftMs <= 0) return controller.close();
        const socket = await socketOf(await again({ Upgrade: "websocket" }));
        if (socket === undefined || left.signal.aborted) {
          socket?.accept();
          socket?.close(1000, "no client listens");
          return controller.close();
        }
        const keepAlive = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0)
            controller.enqueue(encoder.encode(": keep-alive\n\n"));
        }, KEEP_ALIVE_MS);
        controller.enqueue(encoder.encode(`retry: ${RECONNECT_MS}\n\n`));
        const goesOn = await hasMessage(socket, leftMs, left.signal).finally(() =>
          clearInterval(keepAlive),
        );
        if (left.signal.aborted) return;
        const next = goesOn ? await again() : undefined;
        if (next?.body == null) return controller.close();
        reader = next.body.getReader();
      }
    },
    async cancel(reason) {
      left.abort();
      await reader?.cancel(reason);
    },
  });
  return new Response(body, { status: first.status, headers: first.headers });
}

/** Returns undefined if the run's host has no WebSocket. */
async function socketOf(response: Response): Promise<ClientSocket | undefined> {
  const { webSocket } = response as { readonly webSocket?: ClientSocket | null };
  if (webSocket) return webSocket;
  await response.body?.cancel();
  return undefined;
}

/** Resolves to true when a message arrives; to false on disconnection, timeout or the client's departure. */
async function hasMessage(
  socket: ClientSocket,
  withinMs: number,
  left: AbortSignal,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const leave = (): void => resolve(false);
  socket.addEventListener("message", () => resolve(true));
  socket.addEventListener("close", leave);
  socket.addEventListener("error", leave);
  left.addEventListener("abort", leave);
  const timer = setTimeout(leave, withinMs);
  socket.accept();
  const came = await promise;
  clearTimeout(timer);
  left.removeEventListener("abort", leave);
  socket.close(1000, "the stream goes on");
  return came;
}
