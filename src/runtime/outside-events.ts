// Events that the outside world sends to a run by name.
//
//   OE1. An event ends the wait for its name that was opened first; its payload fits the wait's schema, or it is refused.
//   OE2. One that nobody waits for is kept, and ends the next wait for its name that it fits. `MAX_KEPT` of them are kept, and
//        `MAX_KEPT_LENGTH` together; the one too many is a conflict.
//   OE3. An event with an id that came before changes nothing. The newest `MAX_KNOWN_IDS` are known.
import { EngineError, type Issue } from "../base/error.ts";
import { preview, type JsonValue } from "../base/json.ts";
import { validateJsonSchema } from "../base/json-schema.ts";
import type { StepSummary, WaitRequest } from "../journal/journal-store.ts";
import type { RunStore } from "./run-store.ts";

export const EVENT_NAME_PATTERN = /^[A-Za-z0-9_.-]{1,64}$/;
export const MAX_KEPT = 20;
/** Of payloads as JSON text, in UTF-16 units. */
export const MAX_KEPT_LENGTH = 262_144;
export const MAX_KNOWN_IDS = 200;

export type OutsideEvent = {
  readonly name: string;
  /** Any JSON. @default null */
  readonly payload?: JsonValue;
  /** What tells a repeated event from a new one. @default every event is a new one */
  readonly id?: string;
};

/** What became of an event. `kept`: no wait for it is open yet. `repeated`: its id came before. */
export type EventReceipt = {
  readonly name: string;
  readonly outcome: "delivered" | "kept" | "repeated";
};

/** An open wait for an event. */
export type EventWaitRow = StepSummary & {
  readonly wait: WaitRequest & { readonly event: string };
};

type Note = {
  /** Events that came so far, repeated ones left out. */
  readonly count: number;
  readonly ids: readonly string[];
  readonly kept: readonly OutsideEvent[];
};

const VALUE = "outside-events";
const NOTHING: Note = { count: 0, ids: [], kept: [] };

/** What a run knows of the events that were sent to it. */
export class OutsideEvents {
  readonly #store: RunStore;

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** The open waits for events, oldest first. */
  waits(): readonly EventWaitRow[] {
    return this.#store.journal
      .waits()
      .filter((row): row is EventWaitRow => row.wait?.event !== undefined);
  }

  /** True for an event that came before. */
  isKnown({ id }: OutsideEvent): boolean {
    return id !== undefined && this.#note().ids.includes(id);
  }

  /** Notes an event that is delivered at once; answers its number. */
  noted({ id }: OutsideEvent): number {
    const note = this.#note();
    const count = note.count + 1;
    this.#write({ ...note, count, ids: withId(note.ids, id) });
    return count;
  }

  /** Keeps an event for a wait to come; answers its number. Throws `conflict` when too much is kept. */
  keep(event: OutsideEvent): number {
    const note = this.#note();
    const kept = [...note.kept, event];
    const length = kept.reduce((sum, each) => sum + JSON.stringify(each).length, 0);
    if (kept.length > MAX_KEPT || length > MAX_KEPT_LENGTH)
      throw new EngineError(
        "conflict",
        `the run does not wait for event ${event.name}, and keeps no more events: at most ${MAX_KEPT} with ${MAX_KEPT_LENGTH} characters in all are kept until it does, and these are ${note.kept.length}`,
      );
    const count = note.count + 1;
    this.#write({ count, ids: withId(note.ids, event.id), kept });
    return count;
  }

  /** Whether an event is kept for a wait. */
  hasFor({ wait }: EventWaitRow): boolean {
    return this.#note().kept.some(({ name }) => name === wait.event);
  }

  /** Takes the oldest event that is kept under a name. */
  take(name: string): OutsideEvent | undefined {
    const note = this.#note();
    const index = note.kept.findIndex((each) => each.name === name);
    const event = note.kept[index];
    if (event !== undefined) this.#write({ ...note, kept: note.kept.toSpliced(index, 1) });
    return event;
  }

  #note(): Note {
    const json = this.#store.value(VALUE);
    return json === undefined ? NOTHING : (JSON.parse(json) as Note);
  }

  #write(note: Note): void {
    this.#store.setValue(VALUE, JSON.stringify(note));
  }
}

/** What of a payload does not fit a wait. */
export function unfitPayload(wait: WaitRequest, payload: JsonValue): readonly Issue[] {
  if (wait.schema === undefined) return [];
  return validateJsonSchema(wait.schema, payload).map(({ path, message }) => ({
    path: `/payload${path}`,
    message,
  }));
}

/** Throws `invalid_input` for what is no event. */
export function checkEvent({ name, id }: OutsideEvent): void {
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
