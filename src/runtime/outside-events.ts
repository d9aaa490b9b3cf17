// Events from outside, sent to a run by name.
//
//   OE1. An event ends the oldest open wait for its name; its payload must fit the wait's schema, or it is refused.
//   OE2. An event without an open wait is stored, and ends the next wait for its name that it fits. At most `MAX_KEPT`
//        are stored, and `MAX_KEPT_LENGTH` together; one more is a conflict. Stored events take precedence over later
//        ones, and over a time limit.
//   OE3. Only programs with event waits accept events; for any other run an event is a conflict.
//   OE4. A repeated event id has no effect. The newest `MAX_KNOWN_IDS` are known.
import { EngineError, type Issue } from "../base/error.ts";
import { preview, type JsonValue } from "../base/json.ts";
import { validateJsonSchema } from "../base/json-schema.ts";
import type { EventPayloads } from "../events/run-event.ts";
import type { StepSummary, WaitRequest } from "../journal/journal-store.ts";
import type { RunStore } from "./run-store.ts";

export const EVENT_NAME_PATTERN = /^[A-Za-z0-9_.-]{1,64}$/;
export const MAX_KEPT = 20;
/** Maximum total length of stored payloads as JSON text, in UTF-16 units. */
export const MAX_KEPT_LENGTH = 262_144;
export const MAX_KNOWN_IDS = 200;

export type OutsideEvent = {
  readonly name: string;
  /** Any JSON. @default null */
  readonly payload?: JsonValue;
  /** Identifies a repeated event. @default every event is a new one */
  readonly id?: string;
};

/** Outcome of an event. `kept`: no wait for it is open yet. `repeated`: its id is known. */
export type EventReceipt = {
  readonly name: string;
  readonly outcome: "delivered" | "kept" | "repeated";
};

/** An open wait for an event. */
type EventWaitRow = StepSummary & {
  readonly wait: WaitRequest & { readonly event: string };
};

/** The run's host as event handling sees it. */
export type EventHost = {
  readonly store: RunStore;
  /** Ends a wait with a payload; false if the wait is not open. Within `settling`. */
  readonly settle: (key: string, value: JsonValue) => boolean;
  readonly emit: (
    ...event: {
      [Type in "outside_event_received" | "outside_event_refused"]: [
        type: Type,
        payload: EventPayloads[Type],
        nth: number,
      ];
    }["outside_event_received" | "outside_event_refused"]
  ) => void;
  /** Runs a change completely or not at all. */
  readonly settling: (change: () => void) => void;
};

type Note = {
  /** Number of received events, without repeated ones. */
  readonly count: number;
  readonly ids: readonly string[];
  readonly kept: readonly OutsideEvent[];
};

const VALUE = "outside-events";
const NOTHING: Note = { count: 0, ids: [], kept: [] };

/** Events sent to a run. Part of programs with event waits only, so others do not include this code. */
export class OutsideEvents {
  readonly #host: EventHost;

  constructor(host: EventHost) {
    this.#host = host;
  }

  /**
   * Decides about an event: it is repeated, ends a wait, or is stored; `apply` performs the decision. Throws
   * `invalid_input` for an event that does not fit the wait, `conflict` above the storage limit.
   */
  taken(event: OutsideEvent): { readonly receipt: EventReceipt; readonly apply: () => void } {
    checkEvent(event);
    const { name, id, payload = null } = event;
    const received = id === undefined ? { name } : { name, eventId: id };
    if (id !== undefined && this.#note().ids.includes(id))
      return { receipt: { name, outcome: "repeated" }, apply: () => undefined };
    const row = this.#waits().find(({ wait }) => wait.event === name);
    const { emit, settling, settle } = this.#host;
    if (row === undefined) {
      const note = this.#with({ ...event, payload });
      const apply = (): void =>
        settling(() => {
          this.#write(note);
          emit("outside_event_received", { ...received, outcome: "kept" }, note.count);
        });
      return { receipt: { name, outcome: "kept" }, apply };
    }
    const issues = unfitPayload(row.wait, payload);
    if (issues.length > 0)
      throw new EngineError(
        "invalid_input",
        `the payload of event ${name} does not fit what ${row.key} waits for`,
        { issues },
      );
    const apply = (): void =>
      settling(() => {
        if (!settle(row.key, { payload })) return;
        const nth = this.#counted(id);
        emit("outside_event_received", { ...received, outcome: "delivered" }, nth);
      });
    return { receipt: { name, outcome: "delivered" }, apply };
  }

  /**
   * True if an event would end a wait that belongs to an earlier stored one: a crash came before that one was offered.
   */
  overtakes({ name, id }: OutsideEvent): boolean {
    const { kept, ids } = this.#note();
    if (id !== undefined && ids.includes(id)) return false;
    return (
      kept.some((each) => each.name === name) &&
      this.#waits().some(({ wait }) => wait.event === name)
    );
  }

  /** Ends open waits with earlier stored events; true if a wait was ended. */
  offerKept(): boolean {
    let offered = false;
    for (const row of this.#waits())
      for (const { name } of this.#note().kept)
        if (name === row.wait.event && this.#offer(row)) {
          offered = true;
          break;
        }
    return offered;
  }

  /** Ends a wait with its oldest stored event; false for an event that does not fit, which is dropped. */
  #offer({ key, wait }: EventWaitRow): boolean {
    const { emit, settling, settle } = this.#host;
    let ended = false;
    settling(() => {
      const { payload = null, name, id } = this.#take(wait.event);
      const issues = unfitPayload(wait, payload);
      if (issues.length === 0) {
        ended = settle(key, { payload });
        return;
      }
      const reason = issues.map(({ path, message }) => `${path} ${message}`).join("; ");
      const refused = id === undefined ? { name, reason } : { name, eventId: id, reason };
      emit("outside_event_refused", refused, this.#counted(undefined));
    });
    return ended;
  }

  /** The open waits for events, oldest first. */
  #waits(): readonly EventWaitRow[] {
    return this.#host.store.journal
      .waits()
      .filter((row): row is EventWaitRow => row.wait?.event !== undefined);
  }

  /** Counts an event; answers its number. */
  #counted(id: string | undefined): number {
    const note = this.#note();
    const count = note.count + 1;
    this.#write({ ...note, count, ids: withId(note.ids, id) });
    return count;
  }

  /** Returns the note with one more stored event. */
  #with(event: OutsideEvent): Note {
    const note = this.#note();
    const kept = [...note.kept, event];
    const length = kept.reduce((sum, each) => sum + JSON.stringify(each).length, 0);
    if (kept.length > MAX_KEPT || length > MAX_KEPT_LENGTH)
      throw new EngineError(
        "conflict",
        `the run is not waiting for event ${event.name} and cannot keep more events: it keeps at most ${MAX_KEPT} events with ${MAX_KEPT_LENGTH} characters in total, and has ${note.kept.length}`,
      );
    return { count: note.count + 1, ids: withId(note.ids, event.id), kept };
  }

  /** Takes the oldest stored event of a name. */
  #take(name: string): OutsideEvent {
    const note = this.#note();
    const index = note.kept.findIndex((each) => each.name === name);
    this.#write({ ...note, kept: note.kept.toSpliced(index, 1) });
    return note.kept[index] ?? { name };
  }

  #note(): Note {
    const json = this.#host.store.value(VALUE);
    return json === undefined ? NOTHING : (JSON.parse(json) as Note);
  }

  #write(note: Note): void {
    this.#host.store.setValue(VALUE, JSON.stringify(note));
  }
}

/** Returns the faults of a payload against a wait. */
function unfitPayload(wait: WaitRequest, payload: JsonValue): readonly Issue[] {
  if (wait.schema === undefined) return [];
  return validateJsonSchema(wait.schema, payload).map(({ path, message }) => ({
    path: `/payload${path}`,
    message,
  }));
}

/** Throws `invalid_input` for an invalid event. */
function checkEvent({ name, id }: OutsideEvent): void {
  if (!EVENT_NAME_PATTERN.test(name))
    throw new EngineError(
      "invalid_input",
      `the name of an event must be 1 to 64 letters, digits and _ . - characters, got ${preview(name)}`,
    );
  if (id !== undefined && !(typeof id === "string" && id.length >= 1 && id.length <= 200))
    throw new EngineError(
      "invalid_input",
      `the id of an event must be a text of 1 to 200 characters, got ${preview(id)}`,
    );
}

function withId(ids: readonly string[], id: string | undefined): readonly string[] {
  return id === undefined ? ids : [...ids, id].slice(-MAX_KNOWN_IDS);
}
