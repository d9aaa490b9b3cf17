// Event log: a run reports to the outside through its events.
//
//   E1. Each event is stored exactly once: its id follows from its place in the run, and a known id is not stored
//       again. So replay may emit everything again, and a crash between a result and its event leaves no gap.
//   E2. `seq` is 1, 2, 3, ... in the order of storing; the terminal event is the last one.
//   E3. Subscribers receive each stored event once, after it was written, in order; live events in between.
//   E4. The text of open model calls so far can be read at any time. It is bounded, and freed when the call ends.
//   E5. Inputs in an event are as short as results: the run has them whole.
//   E6. Words are requested by the subscribers present when a model call begins. The stored events and results are the
//       same with and without them.
import { isoTime, type Clock } from "../base/clock.ts";
import { cutFields } from "../base/cut.ts";
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { LiveType } from "./model-events.ts";
import { OpenCalls } from "./open-calls.ts";
import {
  scopeStartOf,
  TERMINAL_EVENTS,
  type EventPayloads,
  type EventType,
  type LiveEvent,
  type RunEvent,
} from "./run-event.ts";

/** Storage of a run's events. Synchronous; an exception from a method means a storage failure. */
export interface EventStore {
  append(event: RunEvent): void;
  /** Like `append`, with an event built on its first read. Only for stores that keep the object itself. */
  appendUnread?(make: () => RunEvent): void;
  /** Ids of all stored events. */
  ids(): Iterable<string>;
  /**
   * Events with `seq` above `afterSeq`, in order, at most `limit`, and at most `maxLength` UTF-16 units of JSON; always
   * at least one, if any exists. `maxLength` matters only for stores outside memory.
   */
  read(afterSeq: number, limit: number, maxLength?: number): readonly RunEvent[];
  /** Like `read`, with `seq` below `beforeSeq` and the last one first. */
  readBack(beforeSeq: number, limit: number, maxLength?: number): readonly RunEvent[];
  lastSeq(): number;
}

export class InMemoryEventStore implements EventStore {
  /** Events, or builders of events not read yet. */
  readonly #events: Array<RunEvent | (() => RunEvent)> = [];

  append(event: RunEvent): void {
    this.#events.push(event);
  }

  appendUnread(make: () => RunEvent): void {
    this.#events.push(make);
  }

  *ids(): Iterable<string> {
    for (const event of this.#page(0, this.#events.length)) yield event.id;
  }

  read(afterSeq: number, limit: number): readonly RunEvent[] {
    return this.#page(afterSeq, afterSeq + limit);
  }

  readBack(beforeSeq: number, limit: number): readonly RunEvent[] {
    const end = Math.max(0, beforeSeq - 1);
    return this.#page(Math.max(0, end - limit), end).toReversed();
  }

  lastSeq(): number {
    return this.#events.length;
  }

  #page(start: number, end: number): RunEvent[] {
    const page: RunEvent[] = [];
    for (let index = start; index < Math.min(end, this.#events.length); index++) {
      const event = this.#events[index];
      if (event === undefined) break;
      const whole = typeof event === "function" ? event() : event;
      this.#events[index] = whole;
      page.push(whole);
    }
    return page;
  }
}

export type EventSubscriber = (event: RunEvent | LiveEvent) => void;

/** Returns true if the subscriber has a model stream the words of an answer at this place. */
export type WordsRequest = (path: string) => boolean;

export type EventPlace = {
  readonly path: string;
  /** Distinguishes events of one type at one path. */
  readonly nth?: number | undefined;
  readonly parentId?: string | undefined;
  readonly triggeredByEventId?: string | undefined;
  /** Path of the code whose own listeners receive the event, in place of all others. */
  readonly listenerScope?: string | undefined;
};

type NewEvent = {
  readonly seq: number;
  readonly id: string;
  readonly type: EventType;
  readonly atMs: number;
  readonly place: EventPlace;
  /** Ids of all events so far. */
  readonly ids: ReadonlySet<string>;
};

export type EventLogOptions = {
  readonly runId: string;
  readonly store: EventStore;
  readonly clock: Clock;
  /** @default 100_000 */
  readonly maxEvents?: number;
};

export class EventLog {
  readonly #options: EventLogOptions;
  readonly #maxEvents: number;
  readonly #subscribers = new Map<EventSubscriber, WordsRequest | undefined>();
  /** State of the stored events, as read so far; undefined if it must be read (again). */
  #kept: { readonly ids: Set<string>; seq: number; ended: boolean } | undefined;
  /** Events of the open transaction. */
  #unpublished: RunEvent[] | undefined;
  readonly #openCalls = new OpenCalls();

  constructor(options: EventLogOptions) {
    this.#options = options;
    this.#maxEvents = options.maxEvents ?? 100_000;
  }

  get lastSeq(): number {
    return this.#read().seq;
  }

  /** True once the terminal event is stored. */
  get ended(): boolean {
    return this.#read().ended;
  }

  /** True when no event follows `seq`, now or later. */
  hasEndedBy(seq: number): boolean {
    return this.ended && seq >= this.lastSeq;
  }

  /** Runs a transaction that stores events. They are published once it commits, and dropped if it fails. */
  within(transaction: () => void): void {
    const unpublished: RunEvent[] = [];
    this.#unpublished = unpublished;
    try {
      transaction();
    } catch (error) {
      this.#kept = undefined;
      throw error;
    } finally {
      this.#unpublished = undefined;
    }
    for (const event of unpublished) this.#publish(event);
  }

  /** Keeps an event unless it is known; returns its id. */
  emit<Type extends EventType>(
    type: Type,
    place: EventPlace,
    payload: EventPayloads[Type],
  ): string {
    const id = eventId(type, place);
    const kept = this.#read();
    let published: RunEvent | undefined;
    if (kept.ended || kept.ids.has(id)) return id;
    if (kept.seq >= this.#maxEvents && !TERMINAL_EVENTS.has(type)) {
      throw new EngineError(
        "limit_exceeded",
        `the run has more than ${this.#maxEvents} events; event ${id} exceeds the limit`,
      );
    }
    const { store, clock } = this.#options;
    const seq = kept.seq + 1;
    const atMs = clock.now();
    const make = (): RunEvent =>
      this.#event({ seq, id, type, atMs, place, ids: kept.ids }, payload);
    if (store.appendUnread !== undefined && this.#isUnread) store.appendUnread(make);
    else {
      const event = make();
      store.append(event);
      if (this.#unpublished === undefined) published = event;
      else this.#unpublished.push(event);
    }
    kept.seq = seq;
    kept.ids.add(id);
    if (TERMINAL_EVENTS.has(type)) kept.ended = true;
    if (published !== undefined) this.#publish(published);
    return id;
  }

  /** True if no subscriber receives stored events, and no call is open for one of them to end. */
  get #isUnread(): boolean {
    return this.#subscribers.size === 0 && this.#openCalls.isEmpty;
  }

  #event(
    { seq, id, type, atMs, place, ids }: NewEvent,
    payload: EventPayloads[EventType],
  ): RunEvent {
    const { runId } = this.#options;
    const at = isoTime(atMs);
    const event: Record<string, unknown> = { seq, id, type, at, runId, path: place.path };
    // One by one: spreading undefined values is the largest cost here.
    if (place.parentId !== undefined) event["parentId"] = place.parentId;
    const startedId = startedIdOf(type, place, ids);
    if (startedId !== undefined) event["startedId"] = startedId;
    if (place.triggeredByEventId !== undefined)
      event["triggeredByEventId"] = place.triggeredByEventId;
    if (place.listenerScope !== undefined) event["listenerScope"] = place.listenerScope;
    Object.assign(event, payload);
    const { inputs } = event;
    if (typeof inputs === "object" && inputs !== null)
      event["inputs"] = cutFields(inputs as JsonObject);
    return event as unknown as RunEvent;
  }

  /** Publishes an event to the current subscribers without storing it. */
  emitLive<Type extends LiveType>(
    type: Type,
    place: EventPlace,
    payload: EventPayloads[Type],
  ): void {
    if (this.#read().ended) return;
    const { runId, clock } = this.#options;
    const { parentId, listenerScope } = place;
    this.#publish({
      id: eventId(type, place),
      type,
      at: isoTime(clock.now()),
      runId,
      path: place.path,
      ...(parentId === undefined ? undefined : { parentId }),
      ...(listenerScope === undefined ? undefined : { listenerScope }),
      ...payload,
    } as unknown as LiveEvent);
  }

  /** Reads the stored events. */
  read<Result>(access: (store: EventStore) => Result): Result {
    return access(this.#options.store);
  }

  /** Resolves with the next event that passes `test`, or after `timeoutMs`. */
  async until(test: (event: RunEvent | LiveEvent) => boolean, timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const leave = this.subscribe((event) => void (test(event) && resolve()));
    const disarm = this.#options.clock.after(timeoutMs, resolve);
    await promise;
    disarm();
    leave();
  }

  /** Returns one event for each open model call with its text so far, for new subscribers. */
  snapshots(): readonly LiveEvent[] {
    return this.#openCalls.snapshots(isoTime(this.#options.clock.now()));
  }

  /**
   * Subscribes to stored and live events from now on, until the returned function is called. `words` is asked at the
   * beginning of each model call. @default no words are requested
   */
  subscribe(subscriber: EventSubscriber, words?: WordsRequest): () => void {
    this.#subscribers.set(subscriber, words);
    return () => this.#subscribers.delete(subscriber);
  }

  /** True if a current subscriber requests the words of an answer at this place (E6). */
  requestsWords(path: string): boolean {
    return [...this.#subscribers.values()].some((words) => words?.(path) === true);
  }

  #read(): { readonly ids: Set<string>; seq: number; ended: boolean } {
    if (this.#kept !== undefined) return this.#kept;
    const { store } = this.#options;
    const seq = store.lastSeq();
    const last = seq === 0 ? undefined : store.read(seq - 1, 1)[0];
    this.#kept = {
      ids: new Set(store.ids()),
      seq,
      ended: last !== undefined && TERMINAL_EVENTS.has(last.type),
    };
    return this.#kept;
  }

  #publish(event: RunEvent | LiveEvent): void {
    if (TERMINAL_EVENTS.has(event.type)) this.#openCalls.clear();
    else this.#openCalls.take(event);
    for (const subscriber of this.#subscribers.keys()) {
      try {
        subscriber(event);
      } catch {
        this.#subscribers.delete(subscriber); // a failing subscriber must not harm the run or other subscribers
      }
    }
  }
}

/** Returns `<path>:<type>`, with `#<nth>` if one place emits several of a type. */
export function eventId(type: string, place: EventPlace): string {
  const path = place.path === "" ? type : `${place.path}:${type}`;
  return place.nth === undefined ? path : `${path}#${place.nth}`;
}

/**
 * Returns the id of the opening event. Undefined for an end whose start was never emitted, as in a fork with the
 * recorded step of the start.
 */
function startedIdOf(
  type: string,
  { path }: EventPlace,
  known: ReadonlySet<string>,
): string | undefined {
  const opening = scopeStartOf(type);
  if (opening === undefined) return undefined;
  const startedId = eventId(opening, { path });
  return known.has(startedId) ? startedId : undefined;
}
