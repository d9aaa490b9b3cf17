// Requests for child runs from the code of a run. docs/design/fan-out.md has the rules (F1 to F8).
import type { JsonObject, JsonValue } from "../base/json.ts";
import { sha256Hex } from "../base/sha256.ts";
import type { StepRecord } from "../journal/journal-store.ts";

/** Start options of a child. A child with its parent's name uses its parent's definition. */
export type ChildStart = {
  readonly kind: string;
  readonly name: string;
  readonly inputs: JsonObject;
  /** Assigned part of the crew, for runs of kind `task`. */
  readonly part?: JsonValue;
};

/**
 * Answer to the waits for a child. `output`: its output or its error. `report`: the whole report, never an error.
 * `parts`: one of the `parts` of its output for each wait, in order.
 */
export type ChildAnswer = "output" | "report" | "parts";

export type ChildRequest = {
  /** Segments of the places answered by this child. Several only for `parts`. */
  readonly at: readonly string[];
  readonly answer: ChildAnswer;
  /** Called with the places of `at` not on record yet. */
  readonly start: (at: readonly string[]) => ChildStart;
  /** See `WaitRequest.join`. */
  readonly join?: string | undefined;
  /** When the wait fails with `timeout` and the child is cancelled. Milliseconds since the epoch. */
  readonly dueAtMs?: number | undefined;
  /**
   * Maximum length of the output as JSON text, in UTF-16 units. A longer output stays in the child. @default the
   * maximum of a step
   */
  readonly maxOutputLength?: number | undefined;
};

export type ChildAnswers<T> = {
  readonly runId: string;
  readonly answers: ReadonlyArray<Promise<T>>;
};

/** A child to start, and the waits it answers. */
export type ChildOpening = {
  readonly runId: string;
  readonly keys: readonly string[];
  readonly answer: ChildAnswer;
  readonly maxOutputLength: number | undefined;
  readonly start: ChildStart;
};

export interface ChildPort {
  /** Writes the rows of the waits and all data of the children in one transaction. */
  open(openings: readonly ChildOpening[], rows: readonly StepRecord[]): void;
}

/** Returns the id of the child that first answers `key`: the same in every drive, different in every run (F1). */
export function childRunId(parentId: string, key: string): string {
  return `c_${sha256Hex(`${parentId}:${key}`).slice(0, 32)}`;
}
