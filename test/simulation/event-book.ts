// Event book: the events that were sent to a run, checked against what the run tells of them and has on record.
import type { JsonValue } from "../../src/base/json.ts";
import type { RunEvent } from "../../src/events/run-event.ts";
import type { StepSummary } from "../../src/journal/journal-store.ts";
import type { OutsideEvent } from "../../src/runtime/outside-events.ts";
import type { RunStore } from "../../src/runtime/run-store.ts";

/** An event that the run has taken: which of those that were sent under its id it is, the run does not tell. */
type Taken = { readonly id: string | undefined; readonly payloads: readonly JsonValue[] };

type WaitRow = StepSummary & { readonly wait: { readonly event: string } };

export class EventBook {
  /** Payloads by the id and the name that they were sent under. */
  readonly #sent = new Map<string, JsonValue[]>();
  readonly #accepted = new Set<string>();

  sending({ name, id, payload = null }: OutsideEvent): void {
    const under = sentUnder(name, id);
    this.#sent.set(under, [...(this.#sent.get(under) ?? []), payload]);
  }

  accepted({ id }: OutsideEvent): void {
    if (id !== undefined) this.#accepted.add(id);
  }

  /** What is wrong; `atRest` when nothing will happen by itself. */
  wrong(store: RunStore, { atRest }: { readonly atRest: boolean }): string | undefined {
    const log = store.events.read(0, Number.MAX_SAFE_INTEGER);
    const waits = new Map<string, WaitRow>();
    for (const row of store.journal.list(0, Number.MAX_SAFE_INTEGER))
      if (row.wait?.event !== undefined) waits.set(row.key, row as WaitRow);
    if (this.#sent.size === 0 && waits.size === 0) return undefined;
    return new Reading(store, { sent: this.#sent, accepted: this.#accepted, waits }).check(
      log,
      atRest,
    );
  }
}

/** One pass over the log of a run. */
class Reading {
  readonly #store: RunStore;
  readonly #sent: ReadonlyMap<string, readonly JsonValue[]>;
  readonly #accepted: ReadonlySet<string>;
  readonly #waits: ReadonlyMap<string, WaitRow>;
  /** Events that have come and ended no wait, by name, oldest first. */
  readonly #kept = new Map<string, Taken[]>();
  readonly #ids = new Set<string>();
  /** What events without an id have ended waits. */
  readonly #used = new Set<string>();

  constructor(
    store: RunStore,
    known: {
      readonly sent: ReadonlyMap<string, readonly JsonValue[]>;
      readonly accepted: ReadonlySet<string>;
      readonly waits: ReadonlyMap<string, WaitRow>;
    },
  ) {
    this.#store = store;
    this.#sent = known.sent;
    this.#accepted = known.accepted;
    this.#waits = known.waits;
  }

  check(log: readonly RunEvent[], atRest: boolean): string | undefined {
    for (const [place, event] of log.entries()) {
      const wrong = this.#read(event, log, place);
      if (wrong !== undefined) return wrong;
    }
    for (const id of this.#accepted)
      if (!this.#ids.has(id)) return `I17: the event ${id} was accepted, and is not on record`;
    for (const row of atRest ? this.#waits.values() : []) {
      const [first] = this.#keptFor(row.wait.event);
      if (row.state === "waiting" && first !== undefined)
        return `FT1: ${row.key} waits, and event ${shown(first)} is kept for it`;
    }
    return undefined;
  }

  #read(event: RunEvent, log: readonly RunEvent[], place: number): string | undefined {
    if (event.type === "outside_event_received") {
      const { name, eventId: id, outcome } = event;
      if (id !== undefined && this.#ids.has(id)) return `OE4: the event ${id} counts twice`;
      if (id !== undefined) this.#ids.add(id);
      const taken = this.#taken(name, id);
      if (taken.payloads.length === 0) return `FT1: nobody has sent event ${shown(taken)}`;
      if (outcome === "kept") this.#keptFor(name).push(taken);
      return undefined;
    }
    if (event.type === "outside_event_refused") {
      const taken = this.#keptFor(event.name).shift();
      if (taken === undefined || taken.payloads.every(isText))
        return `OE2: event ${event.eventId} of ${event.name} is dropped, and fits or is not kept`;
      return undefined;
    }
    if (event.type !== "wait_settled") return undefined;
    const row = this.#waits.get(event.key);
    if (row === undefined) return undefined;
    return event.expired === true
      ? this.#expired(row)
      : this.#ended(row, deliveredAfter(log, place));
  }

  /** A wait whose time has come, and no event with it. */
  #expired({ key, wait, error }: WaitRow): string | undefined {
    const isTakenBack = error?.message.includes("has ended without") === true;
    const [first] = this.#keptFor(wait.event);
    if (isTakenBack || first === undefined || !first.payloads.every(isText)) return undefined;
    return `FT1: ${key} has expired, and event ${shown(first)} is kept for it`;
  }

  /** A wait that an event has ended: the one that came just now, or the oldest of those that are kept. */
  #ended(
    row: WaitRow,
    delivered: { readonly name: string; readonly eventId?: string } | undefined,
  ): string | undefined {
    const { key, wait } = row;
    const kept = this.#keptFor(wait.event);
    if (delivered !== undefined && kept[0] !== undefined)
      return `OE2: ${key} is ended by what came just now, and ${shown(kept[0])} is kept for it`;
    if (delivered !== undefined && delivered.name !== wait.event)
      return `FT1: ${key} waits for ${wait.event} and is ended by ${delivered.name}`;
    const taken =
      delivered === undefined ? kept.shift() : this.#taken(delivered.name, delivered.eventId);
    if (taken === undefined) return `FT1: ${key} is ended by no event of its own`;
    const { payload } = JSON.parse(this.#store.journal.get(key)?.value ?? "{}") as {
      payload?: JsonValue;
    };
    if (payload === undefined || !taken.payloads.includes(payload))
      return `FT1: ${key} is ended by ${shown(taken)} and hears ${JSON.stringify(payload)}`;
    const use = JSON.stringify(payload);
    if (taken.id === undefined && this.#used.has(use)) return `FT1: ${use} ends two waits`;
    if (taken.id === undefined) this.#used.add(use);
    if (wait.schema !== undefined && !isText(payload))
      return `FT2: ${key} hears ${JSON.stringify(payload)}, which does not fit`;
    return this.#passedOver(row);
  }

  /** OE1: an event ends the wait for its name that was opened first. */
  #passedOver({ key, wait, startedSeq, endedSeq }: WaitRow): string | undefined {
    for (const each of this.#waits.values()) {
      const isOlder = each.wait.event === wait.event && each.startedSeq < startedSeq;
      if (isOlder && (each.endedSeq ?? Infinity) > (endedSeq ?? 0))
        return `OE1: an event ends ${key}, and ${each.key} was opened before it`;
    }
    return undefined;
  }

  #taken(name: string, id: string | undefined): Taken {
    return { id, payloads: this.#sent.get(sentUnder(name, id)) ?? [] };
  }

  #keptFor(name: string): Taken[] {
    let kept = this.#kept.get(name);
    if (kept === undefined) this.#kept.set(name, (kept = []));
    return kept;
  }
}

/** The event that ended the wait of the settling at this place; undefined where that was a kept one. */
function deliveredAfter(
  log: readonly RunEvent[],
  place: number,
): { readonly name: string; readonly eventId?: string } | undefined {
  let next = place + 1;
  if (log[next]?.type === "run_resumed") next++;
  const event = log[next];
  const isDelivered = event?.type === "outside_event_received" && event.outcome === "delivered";
  return isDelivered ? event : undefined;
}

function sentUnder(name: string, id: string | undefined): string {
  return id === undefined ? `${name}:` : `${name}:${id}`;
}

function isText(payload: JsonValue): boolean {
  return typeof payload === "string";
}

function shown({ id, payloads }: Taken): string {
  return `${id ?? "without an id"} (${JSON.stringify(payloads)})`;
}
