// A wave: all that one trigger, and the labels of its routers, set off.
import type { JsonValue } from "../base/json.ts";
import type { Subscriber } from "./flow-graph.ts";

export type Label = {
  readonly name: string;
  readonly value: JsonValue;
  /** The label comes from a person's feedback: its routers receive the feedback too, and not the value that began the wave. */
  readonly isFeedback?: boolean;
};

/** A method that is woken receives this. */
export type Handed = { readonly value: JsonValue; readonly eventId?: string | undefined };
/** The name of a method that has ended, or a label. */
export type Trigger = Label & Handed & { readonly isLabel: boolean };

export class Wave {
  /** The first trigger, then the labels of routers in the order in which they were returned. */
  readonly triggers: Trigger[];
  /** Triggers whose routers have not been asked for yet. */
  readonly routed: Trigger[];
  /** Listeners that fire once, have fired, and may be armed by a label of this wave. */
  #armable: Set<string>;
  readonly #ran = new Map<string, Set<string>>();

  constructor(first: Trigger, fired: ReadonlySet<string>) {
    this.triggers = [first];
    this.routed = [first];
    this.#armable = new Set(fired);
  }

  /** Labels may arm these, in place of those that had fired when the wave began. */
  armFrom(fired: ReadonlySet<string>): void {
    this.#armable = new Set(fired);
  }

  /** True when a label may arm the listener, which it may once a wave. */
  arms(listener: string): boolean {
    return this.#armable.delete(listener);
  }

  /** Notes the methods that a trigger runs. */
  runs(trigger: string, methods: readonly Subscriber[]): void {
    if (methods.length === 0) return;
    const ran = this.#ran.get(trigger) ?? new Set();
    for (const { name } of methods) ran.add(name);
    this.#ran.set(trigger, ran);
  }

  hasRun(trigger: string, method: string): boolean {
    return this.#ran.get(trigger)?.has(method) === true;
  }

  /** True for the label of a router that ran in this wave. */
  isReturned(label: string): boolean {
    return this.triggers.findIndex(({ name }, index) => index > 0 && name === label) !== -1;
  }

  /** The label as the last router of this wave returned it; the trigger itself where none did. */
  lastOf(trigger: Trigger): Trigger {
    return (
      this.triggers.findLast(({ name }, index) => index > 0 && name === trigger.name) ?? trigger
    );
  }
}
