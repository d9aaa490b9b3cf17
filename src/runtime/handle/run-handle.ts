import { type CALL, methodClass } from "../../base/method-class.ts";
import type { JsonValue } from "../../base/json.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import type { WordsOf } from "../../wire/event-view.ts";
import {
  HANDLE_OPERATIONS,
  type HandleOperation,
  type OperationInput,
  type OperationMethods,
  type OperationResult,
} from "../run-operations.ts";

export type { ResumeRequest } from "../resume.ts";

/** Selection of a run's events, and their start. */
export type EventsOptions = {
  /** Only events after this `seq`. @default 0 */
  readonly after?: number;
  /** Only these types. @default all */
  readonly types?: readonly string[];
  /** Only events at this step key, and below it. @default everywhere */
  readonly path?: string;
  /** Cuts long texts and lists of stored events, which then have `cut: true`. @default false */
  readonly slim?: boolean;
  /**
   * `request` has the models of the run stream their words from the next call on, unless their definition has `stream:
   * false`; `receive` takes the words of models that stream anyway; `none` leaves live events out. @default "request"
   */
  readonly words?: WordsOf;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /**
   * Called when the connection to the run changes. While retrying: the delay before the next connection, in
   * milliseconds.
   */
  readonly onConnection?: (state: ConnectionState, retryInMs?: number) => void;
};

/**
 * `live`: events arrive as they happen. `retrying`: the connection was lost and is being restored. `ended`: no event
 * follows.
 */
export type ConnectionState = "connecting" | "live" | "retrying" | "ended";

/** Methods of a handle for one operation of the run each. */
export type HandleMethods = OperationMethods<typeof HANDLE_OPERATIONS>;

/**
 * A run in any place: in this process, in a Durable Object, or behind HTTP.
 *
 * All methods reject with an `EngineError`: `not_found` for an unknown run, `conflict` if the run's status forbids it.
 */
export interface RunHandle<Output extends JsonValue = JsonValue> extends HandleMethods {
  readonly id: string;
  /** Yields past and new events, up to the run's last event. Reconnects by itself. */
  events(options?: EventsOptions): AsyncIterable<RunEvent | LiveEvent>;
  /** The output once the run has completed; rejects with its error when it failed or was cancelled. */
  output(): Promise<Output>;
}

/** Passes one operation to the run of a handle. */
export interface HandleCaller {
  [CALL]<Name extends HandleOperation>(
    operation: Name,
    input: OperationInput<Name>,
  ): Promise<OperationResult<Name>>;
}

/** A handle with the methods of the table, over `[CALL]`. */
export const OperationsHandle = methodClass<HandleCaller & HandleMethods>(HANDLE_OPERATIONS);
