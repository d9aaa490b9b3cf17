// A run's events as Server-Sent Events, from its object.
//
//   SE1. The next page is read when the client has taken the last one, so that a slow client holds one page in memory.
//   SE2. A client that takes nothing for a minute is cut off. It comes back with `Last-Event-ID`.
//   SE3. Few readers are sent each event as it comes. Many are sent together what has come meanwhile, less often the more they are, so
//        that they hold up no run.
import { withSnapshots } from "../../events/call-words.ts";
import { isShown, shownEvent, type EventView } from "../../events/event-view.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import { TERMINAL_EVENTS } from "../../events/run-event.ts";
import { followPages } from "../../runtime/handle/follow.ts";
import type { RunHost } from "../../runtime/run-host.ts";
import type { RunReader } from "../../runtime/run-reader.ts";
import { StreamPace } from "./stream-pace.ts";

/** An open stream keeps its object in memory, so none lives longer; the client resumes where it was. */
export const MAX_STREAM_MS = 10 * 60_000;
export const KEEP_ALIVE_MS = 15_000;
/** How soon a client comes back after a stream was cut, and after one that ended because the run waits. */
export const RECONNECT_MS = 1_000;
const RECONNECT_WHILE_WAITING_MS = 15_000;
/** Keep-alives in a row that a client has no room for, before it is cut off. */
const MAX_MISSED = 4;

export type StreamCursor = EventView & {
  readonly after: number;
  /** True: what is kept so far, and no waiting for more. */
  readonly keptOnly?: boolean;
  /** True: the stream stays open while the run waits; see `keepOpen`. */
  readonly staysOpen?: boolean;
};

/**
 * Where a client wants to resume: `Last-Event-ID`, or `?after=`; `?types=` and `?path=` bound what it is sent, `?slim=1` how much of it, `?follow=` how long: `0` up to
 * the last event so far, `1` also while the run waits.
 */
export function cursorOf(request: Request): StreamCursor {
  const { searchParams } = new URL(request.url);
  const after = Number(request.headers.get("Last-Event-ID") ?? searchParams.get("after") ?? 0);
  const types = searchParams
    .get("types")
    ?.split(",")
    .map((type) => type.trim())
    .filter((type) => type !== "");
  const follow = searchParams.get("follow") ?? "";
  return {
    after: Number.isSafeInteger(after) && after > 0 ? after : 0,
    types: types?.length ? withSnapshots(types) : undefined,
    path: searchParams.get("path") || undefined,
    slim: ["1", "true"].includes(searchParams.get("slim") ?? ""),
    keptOnly: ["0", "false"].includes(follow),
    staysOpen: ["1", "true"].includes(follow),
  };
}

/** True for events that a client of this cursor is sent: always for the last one. */
export function isWanted(view: EventView, event: RunEvent | LiveEvent): boolean {
  return TERMINAL_EVENTS.has(event.type) || isShown(view, event);
}

/** Where to begin: whoever asks for nothing but the run's end need not have the log read. */
export function startOf(
  { events }: Pick<RunHost, "events">,
  { after, types }: StreamCursor,
): number {
  if (types === undefined || [...types].some((type) => !TERMINAL_EVENTS.has(type))) return after;
  return Math.max(after, events.ended ? events.lastSeq - 1 : events.lastSeq);
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
  const pace = StreamPace.of(host.events);
  const pages = followPages(host, {
    after: startOf(host, cursor),
    endOnWaiting: true,
    keptOnly: cursor.keptOnly ?? false,
    pace: () => pace.next(),
    signal: stop.signal,
  });
  const leave = pace.enter();
  let keepAlive: ReturnType<typeof setInterval> | undefined;
  let limit: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    clearInterval(keepAlive);
    clearTimeout(limit);
    stop.abort();
    leave();
  };
  let last: RunEvent["type"] | undefined;
  let missed = 0;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(`retry: ${RECONNECT_MS}\n\n`));
      keepAlive = setInterval(() => {
        missed = (controller.desiredSize ?? 0) > 0 ? 0 : missed + 1;
        if (missed === 0) controller.enqueue(encoder.encode(": keep-alive\n\n"));
        if (missed < MAX_MISSED) return;
        end();
        controller.error(new Error("the client has taken nothing for a minute"));
      }, KEEP_ALIVE_MS);
      limit = setTimeout(() => stop.abort(), MAX_STREAM_MS);
    },
    async pull(controller) {
      missed = 0;
      try {
        for (;;) {
          const next = await pages.next();
          if (next.done) break;
          const page = next.value;
          last = page.at(-1)?.type ?? last;
          const wanted = page.filter((event) => isWanted(cursor, event));
          if (wanted.length === 0) continue;
          return controller.enqueue(
            encoder.encode(
              wanted.map((event) => toServerSentEvent(shownEvent(cursor, event))).join(""),
            ),
          );
        }
        if (last === undefined || !TERMINAL_EVENTS.has(last))
          controller.enqueue(encoder.encode(`retry: ${reconnectMs(host.reader)}\n\n`));
        controller.close();
        end();
      } catch (error) {
        end();
        throw error;
      }
    },
    async cancel() {
      end();
      await pages.return(undefined);
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

/** Of events that several readers are sent. */
const written = new WeakMap<RunEvent | LiveEvent, string>();

function toServerSentEvent(event: RunEvent | LiveEvent): string {
  const known = written.get(event);
  if (known !== undefined) return known;
  const id = "seq" in event ? `id: ${event.seq}\n` : "";
  const text = `${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  written.set(event, text);
  return text;
}
