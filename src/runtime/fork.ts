import { EngineError } from "../base/error.ts";
import type { StepRecord } from "../journal/journal-store.ts";

/** Where a run makes its inputs of those that it was given: the segment of its step keys. */
export const INPUTS_STEP = "before-kickoff";

/**
 * Throws `conflict` for a fork with inputs of its own that takes over what was made of the other run's: nothing could tell that
 * they had no effect.
 */
export function refuseOtherInputs(rows: readonly StepRecord[], inputs: unknown): void {
  if (inputs === undefined) return;
  const made = rows.find(({ key }) => key.split("/").includes(INPUTS_STEP));
  if (made === undefined) return;
  throw new EngineError(
    "conflict",
    `the inputs of the other run went through beforeKickoff, whose result (${made.key}) a replay takes over: leave inputs out, or start a new run with them`,
  );
}
