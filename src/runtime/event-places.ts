// Finds events by their time: they are stored in the order of time.
import { isAt } from "../wire/event-view.ts";
import type { EventStore } from "../events/event-log.ts";
import type { RunEvent } from "../events/run-event.ts";

/** A step's row and its events are written one after the other; clocks of two machines differ by more. */
const SLACK_MS = 1_000;
const PAGE = 100;
/** Maximum events scanned for one answer. */
const MAX_LOOKED_AT = 5_000;

/** Returns the place of the last event before a time; 0 without one. */
function seqBefore(events: EventStore, atMs: number): number {
  let low = 0;
  let high = events.lastSeq();
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const [event] = events.read(middle - 1, 1);
    if (event !== undefined && Date.parse(event.at) < atMs) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Yields the events at a key around a time, with `below` also those of places below it. Scans a bounded number of
 * events.
 */
export function* eventsAt(
  events: EventStore,
  key: string,
  {
    fromMs,
    toMs = fromMs,
    below = false,
    most = MAX_LOOKED_AT,
  }: {
    readonly fromMs: number;
    readonly toMs?: number;
    readonly below?: boolean;
    readonly most?: number;
  },
): Generator<RunEvent> {
  let looked = 0;
  for (let after = seqBefore(events, fromMs - SLACK_MS); looked < most;) {
    const page = events.read(after, PAGE);
    for (const event of page) {
      if (Date.parse(event.at) > toMs + SLACK_MS || looked++ === most) return;
      if (event.path === key || (below && isAt(event.path, key))) yield event;
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}

/** Returns the first and the last place of the events at a key and below; undefined without any. */
export function eventRange(
  events: EventStore,
  key: string,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): { readonly first: number; readonly last: number } | undefined {
  const [first] = eventsAt(events, key, { fromMs, toMs, below: true });
  if (first === undefined) return undefined;
  let looked = 0;
  for (let before = seqBefore(events, toMs + SLACK_MS) + 1; looked < MAX_LOOKED_AT;) {
    const page = events.readBack(before, PAGE);
    for (const event of page)
      if (isAt(event.path, key) || event.seq === first.seq)
        return { first: first.seq, last: event.seq };
    const last = page.at(-1);
    if (last === undefined) break;
    before = last.seq;
    looked += page.length;
  }
  return { first: first.seq, last: first.seq };
}
