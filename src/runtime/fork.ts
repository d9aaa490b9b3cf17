import { EngineError } from "../base/error.ts";
import { isJsonObject } from "../base/json.ts";
import type { StepRecord } from "../journal/journal-store.ts";

/** Where a run makes its inputs of those that it was given: the segment of its step keys. */
export const INPUTS_STEP = "before-kickoff";

/** Hooks that may change a run's inputs: the segments of their steps. */
const INPUT_HOOKS: ReadonlySet<string> = new Set(["hook:execution_start", "hook:input"]);

/**
 * Throws `conflict` for a fork with inputs of its own that takes over what was made of the other run's: nothing could tell that
 * they had no effect.
 */
export function refuseOtherInputs(rows: readonly StepRecord[], inputs: unknown): void {
  if (inputs === undefined) return;
  const made = rows.find(
    (row) => row.key.split("/").includes(INPUTS_STEP) || isChangeOfInputs(row),
  );
  if (made === undefined) return;
  const by = made.key.includes("hook:") ? "were changed by a hook" : "went through beforeKickoff";
  throw new EngineError(
    "conflict",
    `the inputs of the other run ${by}, whose result (${made.key}) a replay takes over: leave inputs out, or start a new run with them`,
  );
}

/** A hook that only looked at the inputs, or stopped the run, made nothing of them. */
function isChangeOfInputs({ key, value }: StepRecord): boolean {
  if (!INPUT_HOOKS.has(key.slice(key.lastIndexOf("/") + 1)) || value === null) return false;
  const recorded: unknown = JSON.parse(value);
  return isJsonObject(recorded) && recorded["change"] !== undefined;
}
