// How the code of a run asks for child runs. docs/design/fan-out.md has the rules (F1 to F8).
import type { JsonObject, JsonValue } from "../base/json.ts";
import { sha256Hex } from "../base/sha256.ts";
import type { StepRecord } from "../journal/journal-store.ts";

/** What a child is started with. Its definition is its parent's where the name is the same. */
export type ChildStart = {
  readonly kind: string;
  readonly name: string;
  readonly inputs: JsonObject;
  /** For runs of kind `task`: what part of its crew it does. */
  readonly part?: JsonValue;
};

/**
 * What the waits for a child are answered with: its `output`, or its error; the whole `report`, and no error; or one of the
 * `parts` of its output for each wait, in their order.
 */
export type ChildAnswer = "output" | "report" | "parts";

export type ChildRequest = {
  /** Segments of the places that this child answers. Several only for `parts`. */
  readonly at: readonly string[];
  readonly answer: ChildAnswer;
  /** Called with those of `at` that are not on record yet. */
  readonly start: (at: readonly string[]) => ChildStart;
  /** See `WaitRequest.join`. */
  readonly join?: string | undefined;
  /** When the wait fails with `timeout` and the child is cancelled. Milliseconds since the epoch. */
  readonly dueAtMs?: number | undefined;
  /** An output that is longer as JSON text, in UTF-16 units, stays in the child. @default what a step may hold */
  readonly maxOutputLength?: number | undefined;
};

export type ChildAnswers<T> = {
  readonly runId: string;
  readonly answers: ReadonlyArray<Promise<T>>;
};

/** A child that is to be started, and the waits that it answers. */
export type ChildOpening = {
  readonly runId: string;
  readonly keys: readonly string[];
  readonly answer: ChildAnswer;
  readonly maxOutputLength: number | undefined;
  readonly start: ChildStart;
};

export interface ChildPort {
  /** Writes the rows of the waits, and all that has to be known and done of the children, in one transaction. */
  open(openings: readonly ChildOpening[], rows: readonly StepRecord[]): void;
}

/** The id of the child that answers `key` first: the same in every drive, another one in every run (F1). */
export function childRunId(parentId: string, key: string): string {
  return `c_${sha256Hex(`${parentId}:${key}`).slice(0, 32)}`;
}
