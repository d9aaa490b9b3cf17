// A wave: all effects of one trigger and of the labels of its routers.
import type { JsonValue } from "../base/json.ts";
import type { Subscriber } from "./flow-graph.ts";

export type Label = {
  readonly name: string;
  readonly value: JsonValue;
  /**
   * Set if the label comes from a person's feedback: its routers then receive the feedback, not the value at the start
   * of the wave.
   */
  readonly isFeedback?: boolean;
};

/** Input of a called method. */
export type Handed = { readonly value: JsonValue; readonly eventId?: string | undefined };
/** Name of an ended method, or a label. */
export type Trigger = Label & Handed & { readonly isLabel: boolean };

export class Wave {
  /** The first trigger, then the labels of routers in the order in which they were returned. */
  readonly triggers: Trigger[];
  /** Triggers whose routers have not run yet. */
  readonly routed: Trigger[];
  /** Listeners that fire once, have fired, and may be armed by a label of this wave. */
  #armable: Set<string>;
  readonly #ran = new Map<string, Set<string>>();

  constructor(first: Trigger, fired: ReadonlySet<string>) {
    this.triggers = [first];
    this.routed = [first];
    this.#armable = new Set(fired);
  }

  /** Replaces the listeners that labels may arm. */
  armFrom(fired: ReadonlySet<string>): void {
    this.#armable = new Set(fired);
  }

  /** True when a label may arm the listener, which it may once a wave. */
  arms(listener: string): boolean {
    return this.#armable.delete(listener);
  }

  /** Notes the methods called by a trigger. */
  runs(trigger: string, methods: readonly Subscriber[]): void {
    if (methods.length === 0) return;
    const ran = this.#ran.get(trigger) ?? new Set();
    for (const { name } of methods) ran.add(name);
    this.#ran.set(trigger, ran);
  }

  hasRun(trigger: string, method: string): boolean {
    return this.#ran.get(trigger)?.has(method) === true;
  }

  /** True for the label of a router in this wave. */
  isReturned(label: string): boolean {
    return this.triggers.findIndex(({ name }, index) => index > 0 && name === label) !== -1;
  }

  /** Returns the label from the last router of this wave; the trigger itself if no router returned it. */
  lastOf(trigger: Trigger): Trigger {
    return (
      this.triggers.findLast(({ name }, index) => index > 0 && name === trigger.name) ?? trigger
    );
  }
}
