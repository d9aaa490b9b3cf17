// Following a run: all past events, then new events as they happen.
//
//   FW1. Each stored event comes once, in order, up to the run's last; live events come between them, in their place.
//   FW2. A slow reader holds a bounded number of events in memory: it returns to the log for the rest.
//   FW3. Whenever a reader changes from the log to live events, it first gets a snapshot of each open model call.
import type { EventLog, WordsRequest } from "../../events/event-log.ts";
import { TERMINAL_EVENTS, type LiveEvent, type RunEvent } from "../../events/run-event.ts";
import { requestsWords, type EventView } from "../../wire/event-view.ts";
import type { RunHost } from "../run-host.ts";

/** Events at most; the reader bounds their length. */
const PAGE = 200;
/** Number of buffered events above which a reader counts as slow. */
const MAX_WAITING = 1_000;

export type FollowOptions = {
  /** Only events after this `seq`. @default 0 */
  readonly after?: number;
  /** Ends the stream also when the run waits, so no memory is used meanwhile. @default false */
  readonly endOnWaiting?: boolean;
  /** Ends the stream after all events stored so far. @default false */
  readonly keptOnly?: boolean;
  /** Called when events have arrived; the reader takes them when it resolves. @default immediately */
  readonly pace?: () => Promise<void> | undefined;
  readonly signal?: AbortSignal;
  /** Events taken by the reader; the stream has all of them. @default all */
  readonly view?: EventView;
};

type Followed = Pick<RunHost, "events"> & {
  readonly reader: Pick<RunHost["reader"], "events" | "record">;
};

/** Yields all past events, then new events as they happen, without gap or double, up to the run's last event. */
export async function* follow(
  run: Followed,
  options: FollowOptions = {},
): AsyncGenerator<RunEvent | LiveEvent> {
  for await (const page of followPages(run, options))
    for (const event of page) {
      if (options.signal?.aborted) return;
      yield event;
    }
}

/** Like `follow`, with all events available at once in one page. */
export async function* followPages(
  { reader, events }: Followed,
  options: FollowOptions = {},
): AsyncGenerator<ReadonlyArray<RunEvent | LiveEvent>> {
  const { endOnWaiting = false, keptOnly = false, signal, view = {} } = options;
  const words = (path: string): boolean => !keptOnly && requestsWords(view, path);
  let seq = options.after ?? 0;
  for (;;) {
    const waiting = new WaitingEvents(events, words, signal);
    try {
      const snapshots = events.snapshots();
      // Reads the log up to this moment; later events are buffered.
      const upTo = events.lastSeq;
      while (seq < upTo) {
        const page = reader.events(seq, Math.min(PAGE, upTo - seq));
        const last = page.at(-1);
        if (last === undefined) break;
        ({ seq } = last);
        yield page;
        if (signal?.aborted) return;
      }
      if (keptOnly || events.hasEndedBy(seq)) return;
      if (snapshots.length > 0) yield snapshots;
      while (!waiting.isOverfull) {
        if (signal?.aborted) return;
        const page = waiting.take().filter((event) => !("seq" in event) || event.seq > seq);
        if (page.length > 0) {
          seq = page.findLast((event) => "seq" in event)?.seq ?? seq;
          yield page;
          if (TERMINAL_EVENTS.has(page.at(-1)?.type ?? "")) return;
        } else if (endOnWaiting && reader.record().status === "waiting") return;
        else {
          await waiting.more();
          const pause = options.pace?.();
          if (pause !== undefined) await pause;
        }
      }
    } finally {
      waiting.close();
    }
  }
}

/** The events of a run since a moment, as far as a reader has not taken them. */
class WaitingEvents {
  #events: Array<RunEvent | LiveEvent> = [];
  #wake: (() => void) | undefined;
  readonly #close: () => void;
  /** True when there were too many: they are dropped, and the subscription has ended. */
  isOverfull = false;

  constructor(events: EventLog, words: WordsRequest, signal: AbortSignal | undefined) {
    const wake = (): void => this.#wake?.();
    const unsubscribe = events.subscribe((event) => {
      this.#events.push(event);
      if (this.#events.length > MAX_WAITING) {
        this.isOverfull = true;
        this.close();
      }
      wake();
    }, words);
    signal?.addEventListener("abort", wake);
    this.#close = () => {
      unsubscribe();
      signal?.removeEventListener("abort", wake);
    };
  }

  take(): ReadonlyArray<RunEvent | LiveEvent> {
    const taken = this.#events;
    this.#events = [];
    return taken;
  }

  /** Resolves when an event is available, or the signal aborts. */
  async more(): Promise<void> {
    if (this.#events.length > 0 || this.isOverfull) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
  }

  close(): void {
    this.#events = [];
    this.#close();
  }
}
