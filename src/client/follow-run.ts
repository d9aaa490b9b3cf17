// Follows the events of a run over the best connection of the platform, until the run ends.
//
//   FLR1. Every stored event comes once and in order, despite lost connections. Duplicates are dropped by `seq`. At a
//         gap in an unfiltered stream, the missing page is read first.
//   FLR2. A waiting run is followed over a WebSocket if possible, because its object may sleep meanwhile. While sockets
//         rest after a failure, a stream replaces the socket until a new attempt is due.
//   FLR3. On platforms without readable streams, the client polls pages; text chunks are missing then.
//   FLR4. A fault of the network is retried for ever, after at most 15 s, and at once when the page is online or visible
//         again. Refusals such as 401, 403 and 404 reject. Any received event resets the pause.
//   FLR5. Leaving the loop, or the signal, ends the request at once.
//   FLR6. A request without an answer for 30 s, and a connection without a sign for 20 s when the page returns, are
//         replaced.
import { withSnapshots } from "../wire/call-words.ts";
import type { LiveEvent, RunEvent } from "../feature-events.ts";
import type { ConnectionState, EventsOptions } from "../runtime/handle/run-handle.ts";
import { mayReconnect } from "./backoff.ts";
import { begunAnswer } from "./begun-answer.ts";
import { eventPage } from "./event-page.ts";
import { serverSentEvents, streamOf } from "./event-source.ts";
import { socketMessages } from "./event-socket.ts";
import type { Transport } from "./transport.ts";

type AnyEvent = RunEvent | LiveEvent;

export type FollowOptions = EventsOptions;

/** A run, with its transport. */
export type Followed = {
  readonly id: string;
  readonly path: string;
  readonly transport: Transport;
};

export const TERMINAL_EVENTS: ReadonlySet<string> = new Set([
  "run_completed",
  "run_failed",
  "run_cancelled",
] satisfies AnyEvent["type"][]);

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 5_000;
const POLL_SECONDS = 20;

/** One connection and its state. */
type Connection = {
  readonly events: AsyncIterable<AnyEvent>;
  /** Pause before the next connection, in milliseconds. */
  readonly retryMs: () => number;
  /** Position of the connection, if it is beyond its last event. */
  readonly lastSeq?: () => number;
  /** True if no event follows. */
  readonly hasEnded?: () => boolean;
  /** Ends the connection like the server would. Present only if a socket may replace it. */
  readonly leave?: () => void;
};

export async function* followRun(run: Followed, options: FollowOptions): AsyncGenerator<AnyEvent> {
  const { signal, onConnection } = options;
  const { transport } = run;
  const isWanted = wanted(options);
  let isWhole = options.types === undefined && options.path === undefined;
  const ending = new AbortController();
  const abort = (): void => ending.abort(signal?.reason);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted === true) abort();
  let seq = options.after ?? 0;
  let failures = 0;
  let isWaiting = false;
  let state: ConnectionState | undefined;
  const tell = (now: ConnectionState, retryInMs?: number): void => {
    if (state !== now || now === "retrying") onConnection?.(now, retryInMs);
    state = now;
  };
  let disarm: (() => void) | undefined;
  const returnToSocket = ({ leave }: Pick<Connection, "leave">): void => {
    disarm?.();
    const { readyInMs } = transport.sockets;
    disarm =
      isWaiting && leave !== undefined && readyInMs !== undefined
        ? transport.clock.after(readyInMs, leave)
        : undefined;
  };
  try {
    tell("connecting");
    while (!ending.signal.aborted) {
      let pauseMs = FIRST_PAUSE_MS;
      try {
        const connection = await open(run, options, { seq, isWaiting, signal: ending.signal });
        if (connection === undefined) return;
        tell("live");
        returnToSocket(connection);
        for await (const event of connection.events) {
          failures = 0;
          if ("seq" in event) {
            if (event.seq <= seq) continue;
            if (isWhole && event.seq > seq + 1) {
              const missing = await between(run, options, [seq, event.seq, ending.signal]);
              // An empty answer means hidden events: later gaps are not requested.
              isWhole = missing.length > 0;
              for (const missed of missing) {
                seq = missed.seq;
                yield missed;
              }
            }
            seq = event.seq;
          }
          if (isWanted(event)) yield event;
          if (TERMINAL_EVENTS.has(event.type)) return;
          const wasWaiting: boolean = isWaiting;
          if (event.type === "run_waiting") isWaiting = true;
          if (event.type === "run_resumed") isWaiting = false;
          if (isWaiting === wasWaiting) continue;
          if (isWaiting && transport.sockets.readyInMs === 0) break;
          returnToSocket(connection);
        }
        failures = 0;
        seq = Math.max(seq, connection.lastSeq?.() ?? 0);
        if (connection.hasEnded?.() === true) return;
        pauseMs = isWaiting && transport.sockets.readyInMs === 0 ? 0 : connection.retryMs();
      } catch (error) {
        if (ending.signal.aborted) return;
        if (!mayReconnect(error)) throw error;
        failures++;
        pauseMs = transport.pauseAfter(error, failures);
        tell("retrying", pauseMs);
      }
      disarm?.();
      if (pauseMs > 0) await transport.pauses.pause(run.id, pauseMs, ending.signal);
    }
  } finally {
    signal?.removeEventListener("abort", abort);
    disarm?.();
    ending.abort();
    tell("ended");
  }
}

/** Opens a connection. Returns undefined if the run has no more events. */
async function open(
  { path, transport }: Followed,
  { types, slim = false, words, ...options }: FollowOptions,
  {
    seq,
    isWaiting,
    signal,
  }: { readonly seq: number; readonly isWaiting: boolean; readonly signal: AbortSignal },
): Promise<Connection | undefined> {
  const query = {
    path: options.path,
    slim: slim ? 1 : undefined,
    words,
    types: asked(types),
  };
  if (isWaiting) {
    const socket = await transport.socket(`${path}/events`, { ...query, after: seq });
    if (socket !== undefined)
      return {
        events: parsed(socketMessages(socket, transport.clock, signal)),
        retryMs: () => FIRST_PAUSE_MS,
      };
  }
  const inPages = (): Connection =>
    pages({ path, transport }, { slim, ...options }, { seq, signal });
  if (!transport.canStream) return inPages();
  const sending = new AbortController();
  const response = await begunAnswer(transport, `${path}/events`, {
    headers: {
      accept: "text/event-stream",
      ...(seq > 0 ? { "last-event-id": String(seq) } : undefined),
    },
    query: { ...query, follow: 1 },
    signal,
    sending,
  });
  if (response.status === 204) return undefined;
  const body = streamOf(response);
  if (body === undefined) {
    transport.canStream = false;
    return inPages();
  }
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  const { messages, retryMs } = serverSentEvents(body, transport.clock, leaving.signal);
  return {
    events: untilAborted(parsed(messages), { signal, leave, end: () => sending.abort() }),
    retryMs: () => retryMs() ?? FIRST_PAUSE_MS,
    leave,
  };
}

/** Yields events page by page, for platforms without readable streams. */
function pages(
  { path, transport }: Pick<Followed, "path" | "transport">,
  { path: under, slim = false }: Pick<FollowOptions, "path" | "slim">,
  { seq, signal }: { readonly seq: number; readonly signal: AbortSignal },
): Connection {
  let pauseMs = 0;
  let lastSeq = seq;
  let hasEnded = false;
  async function* read(): AsyncGenerator<AnyEvent> {
    const { items, next, more, ended, hasWaited } = await eventPage(transport, path, {
      after: seq,
      slim,
      signal,
      waitSeconds: POLL_SECONDS,
      ...(under === undefined ? undefined : { path: under }),
    });
    yield* items;
    lastSeq = next;
    hasEnded = ended === true && !more;
    // Pauses for longer if the Worker does not delay its answers.
    if (items.length === 0 && !more && !hasWaited) pauseMs = MAX_PAUSE_MS;
  }
  return {
    events: read(),
    retryMs: () => pauseMs,
    lastSeq: () => lastSeq,
    hasEnded: () => hasEnded,
  };
}

/** Reads the events missing between two events of a stream. */
async function between(
  { path, transport }: Followed,
  { slim = false }: FollowOptions,
  [after, before, signal]: readonly [after: number, before: number, signal: AbortSignal],
): Promise<readonly RunEvent[]> {
  const all: RunEvent[] = [];
  for (let from = after; from < before - 1;) {
    const { items, next, more } = await eventPage(transport, path, {
      after: from,
      before,
      limit: 500,
      slim,
      signal,
    });
    all.push(...items);
    if (!more || next <= from) break;
    from = next;
  }
  return all;
}

/** Yields the events; calls `leave` when the signal aborts, and `end` at the end. */
async function* untilAborted(
  events: AsyncIterable<AnyEvent>,
  {
    signal,
    leave,
    end,
  }: { readonly signal: AbortSignal; readonly leave: () => void; readonly end: () => void },
): AsyncGenerator<AnyEvent> {
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  try {
    yield* events;
  } finally {
    signal.removeEventListener("abort", leave);
    end();
  }
}

async function* parsed(
  messages: AsyncIterable<{ readonly data: string }>,
): AsyncGenerator<AnyEvent> {
  for await (const { data } of messages) yield JSON.parse(data) as AnyEvent;
}

/**
 * Returns the types for the server's filter, with the run's last events added. Undefined if the client must filter
 * everything.
 */
function asked(types: readonly string[] | undefined): readonly string[] | undefined {
  if (types === undefined || types.some((type) => type.endsWith("*"))) return undefined;
  return [...types, ...TERMINAL_EVENTS];
}

/**
 * Returns the filter of wanted events; `task_*` matches every type with this prefix. The run's last event always
 * passes.
 */
function wanted({ types, path }: FollowOptions): (event: AnyEvent) => boolean {
  const prefixes = types?.filter((type) => type.endsWith("*")).map((type) => type.slice(0, -1));
  const names = types && withSnapshots(types);
  return ({ type, path: at }) =>
    (path === undefined || at === path || at.startsWith(`${path}/`)) &&
    (names === undefined ||
      names.has(type) ||
      prefixes?.some((prefix) => type.startsWith(prefix)) === true);
}
