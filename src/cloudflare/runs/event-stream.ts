import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import { TERMINAL_EVENTS } from "../../events/run-event.ts";
import { follow } from "../../runtime/handle/follow.ts";
import type { RunHost } from "../../runtime/run-host.ts";
import type { RunReader } from "../../runtime/run-reader.ts";

/** An open stream keeps its object in memory, so none lives longer; the client resumes where it was. */
const MAX_STREAM_MS = 10 * 60_000;
const KEEP_ALIVE_MS = 15_000;
/** How soon a client comes back after a stream was cut, and after one that ended because the run waits. */
const RECONNECT_MS = 1_000;
const RECONNECT_WHILE_WAITING_MS = 15_000;

export type StreamCursor = {
  readonly after: number;
  readonly types: ReadonlySet<string> | undefined;
  /** True: what is kept so far, and no waiting for more. */
  readonly keptOnly?: boolean;
};

/** Where a client wants to resume: `Last-Event-ID`, or `?after=`; `?types=` bounds what it is sent, `?follow=0` how long. */
export function cursorOf(request: Request): StreamCursor {
  const { searchParams } = new URL(request.url);
  const after = Number(request.headers.get("Last-Event-ID") ?? searchParams.get("after") ?? 0);
  const types = searchParams
    .get("types")
    ?.split(",")
    .map((type) => type.trim())
    .filter((type) => type !== "");
  return {
    after: Number.isSafeInteger(after) && after > 0 ? after : 0,
    types: types?.length ? new Set(types) : undefined,
    keptOnly: ["0", "false"].includes(searchParams.get("follow") ?? ""),
  };
}

/** True for events that a client of this cursor is sent: always for the last one. */
export function isWanted({ types }: StreamCursor, event: RunEvent | LiveEvent): boolean {
  return types === undefined || types.has(event.type) || TERMINAL_EVENTS.has(event.type);
}

/**
 * The events of a run as Server-Sent Events, up to its last one. Ends also when the run waits: an open stream would keep
 * the object in memory. 204, which makes an `EventSource` stop, when no event is left.
 */
export async function eventStream(
  host: Pick<RunHost, "reader" | "events">,
  cursor: StreamCursor,
): Promise<Response> {
  if (host.events.hasEndedBy(cursor.after)) return new Response(null, { status: 204 });
  const encoder = new TextEncoder();
  const stop = new AbortController();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string): void => controller.enqueue(encoder.encode(text));
      const keepAlive = setInterval(() => send(": keep-alive\n\n"), KEEP_ALIVE_MS);
      const limit = setTimeout(() => stop.abort(), MAX_STREAM_MS);
      const pump = async (): Promise<void> => {
        send(`retry: ${RECONNECT_MS}\n\n`);
        let last: RunEvent["type"] | undefined;
        for await (const event of follow(host, {
          after: cursor.after,
          endOnWaiting: true,
          keptOnly: cursor.keptOnly ?? false,
          signal: stop.signal,
        })) {
          last = event.type;
          if (isWanted(cursor, event)) send(toServerSentEvent(event));
        }
        if (last === undefined || !TERMINAL_EVENTS.has(last))
          send(`retry: ${reconnectMs(host.reader)}\n\n`);
        controller.close();
      };
      pump()
        .catch(() => undefined) // the client has gone
        .finally(() => {
          clearInterval(keepAlive);
          clearTimeout(limit);
        });
    },
    cancel() {
      stop.abort();
    },
  });
  return new Response(body, {
    headers: {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    },
  });
}

/** When a client should reconnect to a run that waits: at the latest when its next timer is due. */
function reconnectMs(reader: RunReader): number {
  const dueInMs = (reader.nextWaitDueMs() ?? Number.POSITIVE_INFINITY) - Date.now();
  return Math.ceil(Math.min(RECONNECT_WHILE_WAITING_MS, Math.max(RECONNECT_MS, dueInMs)));
}

function toServerSentEvent(event: RunEvent | LiveEvent): string {
  const id = "seq" in event ? `id: ${event.seq}\n` : "";
  return `${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
