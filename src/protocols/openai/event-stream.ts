// Streamed answers: Server-Sent Events without resumption by their ids.
import type { Clock } from "../../base/clock.ts";

const KEEP_ALIVE_MS = 15_000;

/** Target of an answer's events. */
export type Sink = {
  /** Sends data as JSON, or `[DONE]`. */
  readonly send: (data: object | "[DONE]", type?: string) => void;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
};

/**
 * Returns a response with the events sent by `write`. `write` handles its own errors; `onLeave` is called if the client
 * leaves before the end.
 */
export function eventStream(
  clock: Clock,
  write: (sink: Sink) => Promise<void>,
  {
    onLeave,
    headers,
  }: {
    readonly onLeave: () => Promise<void>;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Response {
  const encoder = new TextEncoder();
  const left = new AbortController();
  let keepAliveTimer: (() => void) | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const put = (text: string): void => {
        if (!left.signal.aborted) controller.enqueue(encoder.encode(text));
      };
      const keepAlive = (): void => {
        keepAliveTimer = clock.after(KEEP_ALIVE_MS, () => {
          put(": keep-alive\n\n");
          keepAlive();
        });
      };
      keepAlive();
      const send: Sink["send"] = (data, type) => {
        const line = type === undefined ? "" : `event: ${type}\n`;
        put(`${line}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
      };
      void write({ send, signal: left.signal }).finally(() => {
        keepAliveTimer?.();
        if (!left.signal.aborted) controller.close();
      });
    },
    async cancel() {
      keepAliveTimer?.();
      left.abort();
      await onLeave();
    },
  });
  return new Response(body, {
    headers: {
      ...headers,
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    },
  });
}
