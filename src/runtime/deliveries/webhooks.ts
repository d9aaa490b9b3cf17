// Assigns events of a run to webhooks. Rules WH1 to WH7: docs/design/webhooks.md.
import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { EventLog } from "../../events/event-log.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import type { RunStore } from "../run-store.ts";
import type { Run } from "../run.ts";
import type { WebhookTarget } from "./webhook-target.ts";

/** A target added to a started run. */
export type AddedWebhook = WebhookTarget & { readonly id: string };

/** Maximum targets added to one run: each event goes to all of them. */
const MAX_ADDED = 20;

/** One pending delivery. */
export type WebhookDelivery = {
  /** The same for each attempt. */
  readonly id: string;
  readonly target: WebhookTarget;
  readonly event: RunEvent;
  readonly meta?: JsonValue;
  /** Span of the event, if the run has a trace. */
  readonly traceparent?: string | undefined;
  /** Returns the current state of the run. */
  readonly run: () => Run;
  /** Returns its stored events of these types, up to this one. */
  readonly kept?: (types: readonly string[]) => readonly RunEvent[];
};

/** Builds the body of a delivery in a target's format; undefined if the event has no form in that format. */
export type WebhookFormat = (delivery: WebhookDelivery) => JsonValue | undefined;

/** Outbox payload of a delivery: the target's place among the targets, and the event. */
export type WebhookPointer = { readonly target: number; readonly seq: number };

const CURSOR = "webhook-cursor";
/** Number of events read in one transaction. */
const BATCH = 200;

export class Webhooks {
  readonly #store: RunStore;
  readonly #events: () => EventLog;
  #targets: readonly WebhookTarget[] | undefined;

  constructor(store: RunStore, events: () => EventLog) {
    this.#store = store;
    this.#events = events;
  }

  get targets(): readonly WebhookTarget[] {
    if (this.#targets === undefined) {
      const json = this.#store.value("webhooks");
      this.#targets = json === undefined ? [] : (JSON.parse(json) as WebhookTarget[]);
    }
    return this.#targets;
  }

  /** Added targets, without removed ones. */
  get added(): readonly AddedWebhook[] {
    return this.targets.filter(
      (target): target is AddedWebhook => target.id !== undefined && target.removed !== true,
    );
  }

  /** Adds a target for the events from now on, or replaces the target with its id. Throws `limit_exceeded`. */
  add(target: AddedWebhook): AddedWebhook {
    const others = this.targets.map((each) => (each.id === target.id ? placeOf(each) : each));
    if (this.added.filter(({ id }) => id !== target.id).length >= MAX_ADDED)
      throw new EngineError(
        "limit_exceeded",
        `a run takes at most ${MAX_ADDED} webhooks after its start: remove one of them first`,
      );
    const added = { ...target, after: this.#events().lastSeq };
    this.#keep([...others, added]);
    return added;
  }

  /** Removes a target, if one has this id. */
  remove(id: string): void {
    this.#keep(this.targets.map((each) => (each.id === id ? placeOf(each) : each)));
  }

  #keep(targets: readonly WebhookTarget[]): void {
    this.#store.setValue("webhooks", JSON.stringify(targets));
    this.#targets = targets;
  }

  /** True if a target subscribes to this event. */
  isWanted(event: RunEvent | LiveEvent): boolean {
    return "seq" in event && this.targets.some((target) => wants(target, event));
  }

  /** Adds the deliveries of all events since the last call (WH1). */
  collect(add: (id: `webhook:${string}`, pointer: WebhookPointer) => void): void {
    if (this.targets.length === 0) return;
    for (;;) {
      const after = Number(this.#store.value(CURSOR) ?? 0);
      if (after >= this.#events().lastSeq) return;
      const events = this.#store.events.read(after, BATCH);
      const last = events.at(-1);
      if (last === undefined) return;
      this.#store.transaction(() => {
        for (const event of events) {
          for (const [target, each] of this.targets.entries())
            if (wants(each, event)) add(outboxId(event.seq, target), { target, seq: event.seq });
        }
        this.#store.setValue(CURSOR, String(last.seq));
      });
    }
  }

  /** Returns the delivery of a pointer; undefined if its target or event is gone. */
  deliveryOf(
    pointer: JsonValue,
    reader: {
      readonly run: () => Run;
      readonly kept: (types: readonly string[], upToSeq: number) => readonly RunEvent[];
    },
  ): WebhookDelivery | undefined {
    const { target: place, seq } = pointer as WebhookPointer;
    const target = this.targets[place];
    const event = this.#store.events.read(seq - 1, 1)[0];
    if (target === undefined || target.removed === true || event?.seq !== seq) return undefined;
    const meta = this.#store.value("meta");
    return {
      id: `${event.runId}:${seq}:${place}`,
      target,
      event,
      run: reader.run,
      kept: (types) => reader.kept(types, seq),
      ...(meta === undefined ? undefined : { meta: JSON.parse(meta) as JsonValue }),
    };
  }
}

/** Ids sort as the events came: stores return entries of one time in the order of their ids. */
function outboxId(seq: number, target: number): `webhook:${string}` {
  return `webhook:${String(seq).padStart(10, "0")}:${target}`;
}

function wants({ events, after = 0, removed }: WebhookTarget, event: RunEvent): boolean {
  if (removed === true || event.seq <= after) return false;
  return events === undefined || events.includes(event.type);
}

/** Returns the place of a removed target, without its secrets. */
function placeOf({ url }: WebhookTarget): WebhookTarget {
  return { url, removed: true };
}
