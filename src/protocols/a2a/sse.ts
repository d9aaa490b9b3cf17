// Updates as Server-Sent Events. A comment keeps a silent stream open, and lets the server check its reader's rights.
import type { Clock } from "../../base/clock.ts";

const KEEP_ALIVE_MS = 15_000;

/** A stream of updates, and its form. */
export type UpdateStream = {
  readonly updates: AsyncIterator<object>;
  /** Aborts a pending read of `updates`. */
  readonly stop: AbortController;
  readonly clock: Clock;
  /** Returns an update as the data of an event. */
  readonly data: (update: object) => object;
  /** Returns an error within the stream as a whole event. */
  readonly fault: (error: unknown) => { readonly event?: string; readonly data: object };
  readonly headers: Readonly<Record<string, string>>;
};

/** Returns the stream as an answer. It ends when the reader leaves. */
export function streamAnswer({ updates, stop, clock, ...form }: UpdateStream): Response {
  const encoder = new TextEncoder();
  let disarm: (() => void) | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const keepAlive = (): void => {
        if ((controller.desiredSize ?? 0) > 0)
          controller.enqueue(encoder.encode(": keep-alive\n\n"));
        disarm = clock.after(KEEP_ALIVE_MS, keepAlive);
      };
      disarm = clock.after(KEEP_ALIVE_MS, keepAlive);
    },
    async pull(controller) {
      const end = (): void => {
        disarm?.();
        stop.abort();
        controller.close();
      };
      try {
        const next = await updates.next();
        if (next.done) return end();
        controller.enqueue(encoder.encode(written({ data: form.data(next.value) })));
      } catch (error) {
        controller.enqueue(encoder.encode(written(form.fault(error))));
        end();
      }
    },
    cancel() {
      disarm?.();
      stop.abort();
      // It may hang in an aborted read, so it is not awaited.
      void updates.return?.(undefined);
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      ...form.headers,
    },
  });
}

function written({ event, data }: { readonly event?: string; readonly data: object }): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}
