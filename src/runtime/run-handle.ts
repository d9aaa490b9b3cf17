import type { JsonValue } from "../base/json.ts";
import type { LiveEvent, RunEvent } from "../events/run-event.ts";
import type { EventReceipt, OutsideEvent } from "./outside-events.ts";
import type { Run } from "./run.ts";

/** An answer to an open wait. */
export type ResumeRequest = {
  /** The wait's key; may be left out when only one is open. */
  readonly key?: string;
  /** What a person wrote. */
  readonly feedback?: string;
  /** The answer as data, for waits with a schema. */
  readonly value?: JsonValue;
  readonly approve?: boolean;
  /** The name of the person who answers, chosen by the caller. Stored with the answer. */
  readonly by?: string;
};

export type EventsOptions = {
  /** Only events after this `seq`. @default 0 */
  readonly after?: number;
  /** Only these types. @default all */
  readonly types?: readonly string[];
  /** Ends the stream. */
  readonly signal?: AbortSignal;
};

/**
 * A run, wherever it lives: in this process, in a Durable Object, or behind HTTP.
 *
 * All methods reject with an `EngineError`: `not_found` for an unknown run, `conflict` where the run's status forbids it.
 */
export interface RunHandle<Output extends JsonValue = JsonValue> {
  readonly id: string;
  status(): Promise<Run>;
  /** All events so far and all new ones, up to the run's last event. Reconnects automatically. */
  events(options?: EventsOptions): AsyncIterable<RunEvent | LiveEvent>;
  /** The output once the run has completed; rejects with its error when it failed or was cancelled. */
  output(): Promise<Output>;
  resume(answer: ResumeRequest): Promise<Run>;
  /** Sends an event to a run that waits for it, or will. */
  sendEvent(event: OutsideEvent): Promise<EventReceipt>;
  cancel(reason?: string): Promise<Run>;
  pause(): Promise<Run>;
  unpause(): Promise<Run>;
}
