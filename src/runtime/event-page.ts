// Pages of a run's events, forwards and backwards, and the wait for the next one.
import { TERMINAL_EVENTS, type RunEvent } from "../events/run-event.ts";
import { isShown, shownEvent } from "../wire/event-view.ts";
import type { EventLog, EventStore } from "../events/event-log.ts";

/** Query for a run's stored events. */
export type EventPageQuery = {
  /** Only events after this `seq`. @default 0 */
  readonly after?: number | undefined;
  /** Only events before this `seq`. @default all */
  readonly before?: number | undefined;
  /** At most 500. */
  readonly limit: number;
  /** `desc`: the last one first. @default "asc" */
  readonly order?: "asc" | "desc" | undefined;
  readonly types?: readonly string[] | undefined;
  /** Only events at this key, and below it. */
  readonly path?: string | undefined;
  /** Cuts long texts and lists. */
  readonly slim?: boolean | undefined;
  /** Maximum wait for an event if none exists yet, in milliseconds. @default 0 */
  readonly waitMs?: number | undefined;
};

/**
 * A page of stored events. It may be short, or empty, and more may follow: one request scans a bounded number of them.
 */
export type EventPage = {
  readonly items: readonly RunEvent[];
  /** Beginning of the next page: `after`, or `before` in descending order. */
  readonly next: number;
  /** True if more events are stored there. */
  readonly more: boolean;
  /** Set if no event follows, now or later. */
  readonly ended?: true;
};

/** Maximum length of the events in one read, in UTF-16 units of JSON. */
const MAX_READ_LENGTH = 256 * 1024;
const MAX_READS = 32;
/** Maximum events scanned by one request. */
const MAX_LOOKED_AT = 5_000;
const READ = 500;

/** Returns the stored events of a query. */
export function eventPage(store: EventStore, query: EventPageQuery): EventPage {
  const { order = "asc", limit, after = 0, types, path, slim } = query;
  const lastSeq = store.lastSeq();
  const end = Math.min(query.before ?? lastSeq + 1, lastSeq + 1);
  const view = { types: types === undefined ? undefined : new Set(types), path, slim };
  const isDone = (place: number): boolean =>
    order === "asc" ? place >= end - 1 : place <= after + 1;
  const items: RunEvent[] = [];
  let place = order === "asc" ? after : end;
  let looked = 0;
  for (
    let reads = 0;
    reads < MAX_READS && looked < MAX_LOOKED_AT && items.length < limit;
    reads++
  ) {
    if (isDone(place)) break;
    const page =
      order === "asc"
        ? store.read(place, Math.min(READ, end - 1 - place), MAX_READ_LENGTH)
        : store.readBack(place, Math.min(READ, place - 1 - after), MAX_READ_LENGTH);
    if (page.length === 0) break;
    for (const event of page) {
      if (items.length === limit) break;
      place = event.seq;
      looked++;
      if (isShown(view, event)) items.push(shownEvent(view, event));
    }
  }
  return { items, next: place, more: !isDone(place) };
}

/** Like `eventPage`. With `waitMs` it waits for a matching event, if none exists yet and some can follow. */
export async function nextEventPage(events: EventLog, query: EventPageQuery): Promise<EventPage> {
  const { waitMs = 0, order = "asc", before } = query;
  const found = (): EventPage => {
    const page = events.read((store) => eventPage(store, query));
    return events.hasEndedBy(page.next) ? { ...page, ended: true } : page;
  };
  const page = found();
  const canCome = order === "asc" && before === undefined && page.ended !== true;
  if (waitMs <= 0 || page.items.length > 0 || page.more || !canCome) return page;
  const view = { types: query.types && new Set(query.types), path: query.path };
  await events.until(
    (event) => "seq" in event && (isShown(view, event) || TERMINAL_EVENTS.has(event.type)),
    waitMs,
  );
  return found();
}
