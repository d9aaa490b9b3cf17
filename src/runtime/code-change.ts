// Code changes under a run: finished steps stay finished, and a run that does not fit the code is held.
//
//   CC1. A finished step with another input in the present code is noted once on the run and reported by an event; the
//        run continues.
//   CC2. A run whose code does not fit its record, or is gone, is held: it waits, has no alarm and uses no compute.
//        Answers received meanwhile are stored.
//   CC3. A held run is tried once with each version of the code. Code without a version, as in a process of one's own,
//        cannot change under a run, so a run that does not fit it fails.
import { isoTime } from "../base/clock.ts";
import { preview } from "../base/json.ts";
import { EngineError, type ErrorCode, type ErrorRecord } from "../base/error.ts";
import type { StepKind } from "../journal/journal-store.ts";

/**
 * Handling of a run after a deploy has changed the input of one of its finished steps, such as a prompt: it continues
 * with the recorded result (`continue`), is held as after a change of its structure (`hold`), or fails (`fail`). With
 * `fail`, a changed structure fails the run, too.
 */
export type OnChange = "continue" | "hold" | "fail";

/** Throws `invalid_definition` for another value. */
export function checkOnChange(value: OnChange): OnChange {
  if (["continue", "hold", "fail"].includes(value)) return value;
  const message = `defineApp: onChange must be "continue", "hold" or "fail", got ${preview(value)}`;
  throw new EngineError("invalid_definition", message);
}

/** A finished step whose input differs from the present code's. */
export type CodeChange = {
  readonly key: string;
  readonly kind: StepKind;
  /** Name of the step for people. */
  readonly label?: string;
  /** Time of the detection. ISO 8601, UTC. */
  readonly at: string;
};

/** Reason for holding a run, in the run's record. */
export type HeldRecord = {
  readonly error: ErrorRecord;
  readonly key?: string;
  readonly sinceMs: number;
  /** Last version of the code with which it was tried. */
  readonly codeVersion: string;
};

/** Reason for holding a run. */
export type Held = {
  /** `journal_mismatch`: the code does not fit the run's record. `not_found`: its definition is gone. */
  readonly code: ErrorCode;
  readonly message: string;
  /** Key of the step that does not fit. */
  readonly key?: string;
  /** ISO 8601, UTC. */
  readonly since: string;
  /** Version of the code that does not fit. */
  readonly codeVersion: string;
};

export function heldView({ error, key, sinceMs, codeVersion }: HeldRecord): Held {
  const { code, message } = error;
  const step = key === undefined ? undefined : { key };
  return { code, message, ...step, since: isoTime(sinceMs), codeVersion };
}
