import type { Clock } from "../base/clock.ts";
import { errorMessage } from "../base/error.ts";
import { eventStreamParser, type EventSourceMessage } from "../base/event-stream-parser.ts";
import { renewOnReturn } from "./begun-answer.ts";
import { unavailable } from "./transport.ts";

export type ServerSentEvents = {
  readonly messages: AsyncGenerator<EventSourceMessage>;
  /** The server's latest `retry` delay, in milliseconds. */
  readonly retryMs: () => number | undefined;
};

/** The server sends a comment at least every 15 seconds. After this silence, the connection counts as lost. */
const MAX_SILENCE_MS = 45_000;

/** Returns the body as a stream; undefined on platforms that read it only as a whole, such as React Native. */
export function streamOf(response: Response): ReadableStream<Uint8Array> | undefined {
  const { body } = response as { readonly body?: ReadableStream<Uint8Array> | null };
  return typeof body?.getReader === "function" ? body : undefined;
}

/** Reads an event stream. Leaving the loop early closes the connection. A lost connection throws `unavailable`. */
export function serverSentEvents(
  body: ReadableStream<Uint8Array>,
  clock: Clock,
  signal?: AbortSignal,
): ServerSentEvents {
  let retryMs: number | undefined;
  async function* read(): AsyncGenerator<EventSourceMessage> {
    const parse = eventStreamParser((ms) => (retryMs = ms));
    const decoder = new TextDecoder();
    const reader = body.getReader();
    let lost: string | undefined;
    const stop = (): void => void reader.cancel().catch(() => undefined);
    const lose = (reason: string): void => {
      lost = reason;
      stop();
    };
    const returns = renewOnReturn(clock, () => lose("no data while the page was away"));
    signal?.addEventListener("abort", stop);
    try {
      for (;;) {
        const disarm = clock.after(MAX_SILENCE_MS, () =>
          lose(`no data for ${MAX_SILENCE_MS / 1000} s`),
        );
        const { done, value } = await reader.read().finally(disarm);
        if (lost !== undefined) throw new Error(lost);
        returns.received();
        if (done) return;
        yield* parse(decoder.decode(value, { stream: true }));
      }
    } catch (cause) {
      throw unavailable(`the event stream broke off: ${errorMessage(cause)}`, cause);
    } finally {
      signal?.removeEventListener("abort", stop);
      returns.end();
      stop();
    }
  }
  return { messages: read(), retryMs: () => retryMs };
}
