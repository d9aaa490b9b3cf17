// Event log: a run reports to the outside through its events.
//
//   E1. Each event is kept exactly once: its id follows from where it happened, and an id that is known is not kept again.
//       So replay may emit everything again, and a crash between a result and its event leaves no gap.
//   E2. `seq` is 1, 2, 3, ... in the order of keeping; nothing follows the terminal event.
//   E3. Subscribers receive each kept event once, after it was written, in order; live events in between.
//   E4. What open model calls have said so far can be asked for at any time. It is bounded, and freed when the call ends.
import { isoTime, type Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
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

/** Where a run's events live. Synchronous; a method that throws means that the storage failed. */
export interface EventStore {
  append(event: RunEvent): void;
  /** As `append`, of an event that is put together when it is first read. Only for stores that keep it as it is. */
  appendUnread?(make: () => RunEvent): void;
  /** Ids of all kept events. */
  ids(): Iterable<string>;
  /**
   * Events with `seq` above `afterSeq`, in order, at most `limit`, and at most `maxLength` UTF-16 units of JSON; but always
   * one, if there is any. `maxLength` matters only where events are not in memory anyway.
   */
  read(afterSeq: number, limit: number, maxLength?: number): readonly RunEvent[];
  /** As `read`, with `seq` below `beforeSeq` and the last one first. */
  readBack(beforeSeq: number, limit: number, maxLength?: number): readonly RunEvent[];
  lastSeq(): number;
}

export class InMemoryEventStore implements EventStore {
  /** What nobody has read yet is still to be put together. */
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

export type EventPlace = {
  readonly path: string;
  /** Distinguishes events of one type at one path. */
  readonly nth?: number | undefined;
  readonly parentId?: string | undefined;
  readonly triggeredByEventId?: string | undefined;
  /** Path of the code whose own listeners receive the event, instead of all others. */
  readonly listenerScope?: string | undefined;
};

type NewEvent = {
  readonly seq: number;
  readonly id: string;
  readonly type: EventType;
  readonly atMs: number;
  readonly place: EventPlace;
  /** Of all events so far. */
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
  readonly #subscribers = new Set<EventSubscriber>();
  /** What is kept, as far as it has been read; undefined when it must be read (again). */
  #kept: { readonly ids: Set<string>; seq: number; ended: boolean } | undefined;
  /** Events of the transaction that is under way. */
  #unpublished: RunEvent[] | undefined;
  readonly #openCalls = new OpenCalls();

  constructor(options: EventLogOptions) {
    this.#options = options;
    this.#maxEvents = options.maxEvents ?? 100_000;
  }

  get lastSeq(): number {
    return this.#read().seq;
  }

  /** True once the terminal event is kept. */
  get ended(): boolean {
    return this.#read().ended;
  }

  /** True when no event follows `seq`, now or later. */
  hasEndedBy(seq: number): boolean {
    return this.ended && seq >= this.lastSeq;
  }

  /** Runs a transaction that stores events: they are published once it commits, and dropped when it fails. */
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

  /** Nobody receives what is kept now, and no call speaks that it could end. */
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
    // One by one: spreading what is undefined costs more than all else here.
    if (place.parentId !== undefined) event["parentId"] = place.parentId;
    const startedId = startedIdOf(type, place, ids);
    if (startedId !== undefined) event["startedId"] = startedId;
    if (place.triggeredByEventId !== undefined)
      event["triggeredByEventId"] = place.triggeredByEventId;
    if (place.listenerScope !== undefined) event["listenerScope"] = place.listenerScope;
    return Object.assign(event, payload) as unknown as RunEvent;
  }

  /** Publishes an event to the current subscribers and stores nothing. */
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

  /** Reads what is kept. */
  read<Result>(access: (store: EventStore) => Result): Result {
    return access(this.#options.store);
  }

  /** Resolves with the next event for which `test` holds, or after `timeoutMs`. */
  async until(test: (event: RunEvent | LiveEvent) => boolean, timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const leave = this.subscribe((event) => void (test(event) && resolve()));
    const disarm = this.#options.clock.after(timeoutMs, resolve);
    await promise;
    disarm();
    leave();
  }

  /** What the model calls that are under way have said so far, for whoever subscribes now: an event for each. */
  snapshots(): readonly LiveEvent[] {
    return this.#openCalls.snapshots(isoTime(this.#options.clock.now()));
  }

  /** Subscribes to stored and live events from now on, until the returned function is called. */
  subscribe(subscriber: EventSubscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
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
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(event);
      } catch {
        this.#subscribers.delete(subscriber); // one that fails must not harm the run, nor the others
      }
    }
  }
}

/** `<path>:<type>`, with `#<nth>` where one place emits several of a type. */
export function eventId(type: string, place: EventPlace): string {
  const path = place.path === "" ? type : `${place.path}:${type}`;
  return place.nth === undefined ? path : `${path}#${place.nth}`;
}

/** Returns undefined for an end whose start was never emitted, as in a fork that took over the start's step. */
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
