// Which events of a run are delivered to which webhooks. Rules WH1 to WH7: docs/design/webhooks.md.
import type { JsonValue } from "../../base/json.ts";
import type { EventLog } from "../../events/event-log.ts";
import type { EventType, LiveEvent, RunEvent } from "../../events/run-event.ts";
import type { RunStore } from "../run-store.ts";
import type { Run } from "../run.ts";

/** An address that receives a run's events. */
export type WebhookTarget = {
  readonly url: string;
  /** @default all that are kept */
  readonly events?: readonly EventType[];
  /** @default the deployment's */
  readonly secret?: string;
  /** In place of `secret`: sealed, and whom for. */
  readonly sealedSecret?: { readonly sealed: string; readonly owner: string };
  /** Names the format of the bodies, where it is not the event itself. */
  readonly format?: string;
};

/** One delivery to be made. */
export type WebhookDelivery = {
  /** The same for each attempt. */
  readonly id: string;
  readonly target: WebhookTarget;
  readonly event: RunEvent;
  readonly meta?: JsonValue;
  /** The run as it is now. */
  readonly run: () => Run;
};

/** Makes the body of a delivery in a format that a target asked for; undefined when the event has none in that format. */
export type WebhookFormat = (delivery: WebhookDelivery) => JsonValue | undefined;

/** What the outbox holds of a delivery: the target's place among the targets, and the event. */
type WebhookPointer = { readonly target: number; readonly seq: number };

const CURSOR = "webhook-cursor";
/** Events that are read in one transaction. */
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

  /** Whether some target wants this event. */
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

  /** The delivery that a pointer stands for; undefined when its target or event is gone. */
  deliveryOf(pointer: JsonValue, run: () => Run): WebhookDelivery | undefined {
    const { target: place, seq } = pointer as WebhookPointer;
    const target = this.targets[place];
    const event = this.#store.events.read(seq - 1, 1)[0];
    if (target === undefined || event?.seq !== seq) return undefined;
    const meta = this.#store.value("meta");
    return {
      id: `${event.runId}:${seq}:${place}`,
      target,
      event,
      run,
      ...(meta === undefined ? undefined : { meta: JSON.parse(meta) as JsonValue }),
    };
  }
}

/** Ids sort as the events came: stores return entries of one time in the order of their ids. */
function outboxId(seq: number, target: number): `webhook:${string}` {
  return `webhook:${String(seq).padStart(10, "0")}:${target}`;
}

function wants({ events }: WebhookTarget, event: RunEvent): boolean {
  return events === undefined || events.includes(event.type);
}
