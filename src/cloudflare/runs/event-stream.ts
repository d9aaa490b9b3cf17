// A run's events as Server-Sent Events, from its object.
//
//   SE1. The next piece is made after the client has taken the last one, so a slow client keeps one piece in memory, and
//        a page that it shares with others (shared-pages.ts).
//   SE2. A client that takes no data for a minute is disconnected. It reconnects with `Last-Event-ID`.
//   SE3. A few readers get each event immediately. Many readers get events in batches, less often with more readers, so
//        they do not slow down the run.
import { withSnapshots } from "../../wire/call-words.ts";
import { isShown, shownEvent, type EventView, type WordsOf } from "../../wire/event-view.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import { TERMINAL_EVENTS } from "../../events/run-event.ts";
import { followPages } from "../../runtime/handle/follow.ts";
import type { RunHost } from "../../runtime/run-host.ts";
import type { RunReader } from "../../runtime/run-reader.ts";
import { piecesOf, SharedPages } from "./shared-pages.ts";
import { StreamPace } from "./stream-pace.ts";

/** Maximum life of a stream, as an open stream keeps its object in memory. The client resumes at its last event. */
export const MAX_STREAM_MS = 10 * 60_000;
export const KEEP_ALIVE_MS = 15_000;
/**
 * Reconnect delays, in milliseconds: after an interrupted stream, and after a stream that ended because the run waits.
 */
export const RECONNECT_MS = 1_000;
const RECONNECT_WHILE_WAITING_MS = 15_000;
/** Number of successive keep-alives a client may leave unread before it is disconnected. */
const MAX_MISSED = 4;

export type StreamCursor = EventView & {
  readonly after: number;
  /** Ends the stream after the events stored so far. */
  readonly keptOnly?: boolean;
  /** Keeps the stream open while the run waits; see `keepOpen`. */
  readonly staysOpen?: boolean;
};

/**
 * Reads the client's cursor: `Last-Event-ID` or `?after=`. `?types=`, `?path=` and `?words=` filter the events, `?slim=1`
 * shortens them. `?follow=0` ends the stream at the last event so far, `?follow=1` keeps it open while the run waits.
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
    words: wordsOf(searchParams.get("words")),
  };
}

const STREAM_HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Accel-Buffering": "no",
} as const;

const WORDS: readonly string[] = ["request", "receive", "none"] satisfies readonly WordsOf[];

function wordsOf(text: string | null): WordsOf | undefined {
  return text !== null && WORDS.includes(text) ? (text as WordsOf) : undefined;
}

/** True for events a client with this cursor gets. The last event is always one of them. */
export function isWanted(view: EventView, event: RunEvent | LiveEvent): boolean {
  return TERMINAL_EVENTS.has(event.type) || isShown(view, event);
}

/** Returns the place to start from. A client interested only in the run's end does not need the log. */
export function startOf(
  { events }: Pick<RunHost, "events">,
  { after, types }: StreamCursor,
): number {
  if (types === undefined || [...types].some((type) => !TERMINAL_EVENTS.has(type))) return after;
  return Math.max(after, events.ended ? events.lastSeq - 1 : events.lastSeq);
}

/**
 * Streams a run's events as Server-Sent Events, up to the last one. Also ends when the run waits, as an open stream
 * would keep the object in memory. Returns 204, which stops an `EventSource`, if no event is left.
 */
export async function eventStream(
  host: Pick<RunHost, "reader" | "events">,
  cursor: StreamCursor,
): Promise<Response> {
  if (host.events.hasEndedBy(cursor.after)) return new Response(null, { status: 204 });
  const stop = new AbortController();
  const pace = StreamPace.of(host.events);
  const shared = new SharedPages(host.reader, host.events);
  const pages = followPages(
    { reader: shared, events: host.events },
    {
      after: startOf(host, cursor),
      endOnWaiting: true,
      keptOnly: cursor.keptOnly ?? false,
      pace: () => pace.next(),
      signal: stop.signal,
      view: cursor,
    },
  );
  const pieces = piecesIn(pages, cursor);
  const leave = pace.enter();
  const watch = new ClientWatch();
  const end = (): void => {
    watch.end();
    stop.abort();
    shared.leave();
    leave();
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(retryIn(RECONNECT_MS));
      watch.begin(controller, { gone: end, outlived: () => stop.abort() });
    },
    async pull(controller) {
      watch.hasRead();
      try {
        const next = await pieces.next();
        if (next.done !== true) return controller.enqueue(next.value);
        const last = next.value;
        if (last === undefined || !TERMINAL_EVENTS.has(last))
          controller.enqueue(retryIn(reconnectMs(host.reader)));
        controller.close();
        end();
      } catch (error) {
        end();
        throw error;
      }
    },
    async cancel() {
      end();
      await pieces.return(undefined);
    },
  });
  return new Response(body, { headers: STREAM_HEADERS });
}

/** Returns the time until a client should reconnect to a waiting run, at the latest when its next timer is due. */
function reconnectMs(reader: RunReader): number {
  const dueInMs = (reader.nextWaitDueMs() ?? Number.POSITIVE_INFINITY) - Date.now();
  return Math.ceil(Math.min(RECONNECT_WHILE_WAITING_MS, Math.max(RECONNECT_MS, dueInMs)));
}

function retryIn(milliseconds: number): Uint8Array {
  return new TextEncoder().encode(`retry: ${milliseconds}\n\n`);
}

/** Yields the wanted events as pieces of the stream. Returns the type of the last event, wanted or not. */
async function* piecesIn(
  pages: AsyncIterable<ReadonlyArray<RunEvent | LiveEvent>>,
  cursor: StreamCursor,
): AsyncGenerator<Uint8Array, RunEvent["type"] | LiveEvent["type"] | undefined> {
  let last: RunEvent["type"] | LiveEvent["type"] | undefined;
  for await (const page of pages) {
    last = page.at(-1)?.type ?? last;
    const wanted = page.filter((event) => isWanted(cursor, event));
    yield* piecesOf(wanted.map((event) => shownEvent(cursor, event)));
  }
  return last;
}

/** Sends keep-alives, and notices clients that take no data (SE2) and streams that are too old. */
class ClientWatch {
  #keepAlive: ReturnType<typeof setInterval> | undefined;
  #limit: ReturnType<typeof setTimeout> | undefined;
  #missed = 0;

  begin(
    controller: ReadableStreamDefaultController<Uint8Array>,
    on: { readonly gone: () => void; readonly outlived: () => void },
  ): void {
    const keepAlive = new TextEncoder().encode(": keep-alive\n\n");
    this.#keepAlive = setInterval(() => {
      this.#missed = (controller.desiredSize ?? 0) > 0 ? 0 : this.#missed + 1;
      if (this.#missed === 0) controller.enqueue(keepAlive);
      if (this.#missed < MAX_MISSED) return;
      on.gone();
      controller.error(new Error("the client has read no data for a minute"));
    }, KEEP_ALIVE_MS);
    this.#limit = setTimeout(on.outlived, MAX_STREAM_MS);
  }

  hasRead(): void {
    this.#missed = 0;
  }

  end(): void {
    clearInterval(this.#keepAlive);
    clearTimeout(this.#limit);
  }
}
