// What becomes of a run whose code has changed: finished steps stay finished, and a run that the code does not fit is held.
//
//   CC1. A finished step whose input is another one in the present code is noted once on the run and told by an event; the
//        run goes on.
//   CC2. A run whose code does not fit its record, or is gone, is held: it waits, has no alarm and uses no compute. Answers that
//        come meanwhile are kept.
//   CC3. A held run is tried once with each version of the code. Where code has no version, as in a process of one's own, it
//        cannot change under a run, and a run that it does not fit fails.
import { isoTime } from "../base/clock.ts";
import { preview } from "../base/json.ts";
import { EngineError, type ErrorCode, type ErrorRecord } from "../base/error.ts";
import type { StepKind, StepRecord } from "../journal/journal-store.ts";
import type { RunStore } from "./run-store.ts";

/**
 * What happens to a run when a deploy has changed the input of a step that it has finished, such as a prompt: it goes on with
 * the recorded result (`continue`), is held as when its structure changed (`hold`), or fails (`fail`). With `fail`, a changed
 * structure fails the run, too.
 */
export type OnChange = "continue" | "hold" | "fail";

/** Throws `invalid_definition` for another value. */
export function checkOnChange(value: OnChange): OnChange {
  if (["continue", "hold", "fail"].includes(value)) return value;
  const message = `defineApp: onChange must be "continue", "hold" or "fail", got ${preview(value)}`;
  throw new EngineError("invalid_definition", message);
}

/** A finished step whose input differs from what the present code asks for. */
export type CodeChange = {
  readonly key: string;
  readonly kind: StepKind;
  /** What people call the step. */
  readonly label?: string;
  /** When this was seen. ISO 8601, UTC. */
  readonly at: string;
};

/** Why a run is held, as its record keeps it. */
export type HeldRecord = {
  readonly error: ErrorRecord;
  readonly key?: string;
  readonly sinceMs: number;
  /** The last version of the code that it was tried with. */
  readonly codeVersion: string;
};

/** Why a run is held. */
export type Held = {
  /** `journal_mismatch`: the code does not fit the run's record. `not_found`: its definition is gone. */
  readonly code: ErrorCode;
  readonly message: string;
  /** The step that does not fit. */
  readonly key?: string;
  /** ISO 8601, UTC. */
  readonly since: string;
  /** The version of the code that does not fit. */
  readonly codeVersion: string;
};

/** Changes that a run lists; the events have them all. */
const MAX_CHANGES = 100;

export function heldView({ error, key, sinceMs, codeVersion }: HeldRecord): Held {
  const { code, message } = error;
  const step = key === undefined ? undefined : { key };
  return { code, message, ...step, since: isoTime(sinceMs), codeVersion };
}

export function changesOf(store: RunStore): readonly CodeChange[] {
  const json = store.value("changes");
  return json === undefined ? [] : (JSON.parse(json) as CodeChange[]);
}

/** Notes a change of a finished step, once, while there is room in the list. */
export function noteChange(store: RunStore, { key, kind, label }: StepRecord, atMs: number): void {
  const known = changesOf(store);
  if (known.length >= MAX_CHANGES || known.some((change) => change.key === key)) return;
  const name = label === null ? undefined : { label };
  const change: CodeChange = { key, kind, ...name, at: isoTime(atMs) };
  store.setValue("changes", JSON.stringify([...known, change]));
}
