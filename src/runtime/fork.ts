import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { pointerOf } from "../base/json-pointer.ts";
import type { StepRecord } from "../journal/journal-store.ts";
import type { RunOrigin, RunStart } from "./run.ts";

/** What a fork begins with. */
export type ForkRecord = {
  readonly start: RunStart;
  readonly origin: RunOrigin;
  readonly rows: readonly StepRecord[];
  /** Inputs that the definition needs. */
  readonly requiredInputs: readonly string[];
};

/**
 * Looks at the inputs of a fork's own, which replace the other run's. Throws `conflict` where the fork takes over what was made
 * of those, as nothing could tell that the new ones had no effect; else `invalid_input` for each that the texts need and that is missing.
 */
export function checkForkInputs(
  { rows, requiredInputs }: Pick<ForkRecord, "rows" | "requiredInputs">,
  inputs: JsonObject | undefined,
): void {
  if (inputs === undefined) return;
  refuseOtherInputs(rows);
  const missing = requiredInputs.filter((name) => !Object.hasOwn(inputs, name));
  if (missing.length === 0) return;
  throw new EngineError(
    "invalid_input",
    `a fork's inputs replace all inputs of the other run; the run's texts also need: ${missing.join(", ")}`,
    {
      issues: missing.map((name) => ({
        path: pointerOf(["inputs", name]),
        message: "is needed by the run's texts, got nothing",
      })),
    },
  );
}

function refuseOtherInputs(rows: readonly StepRecord[]): void {
  const made = rows.find(({ mark }) => mark === "inputs");
  if (made === undefined) return;
  throw new EngineError(
    "conflict",
    `the inputs of the other run were changed by ${made.label ?? "a step"}, and a replay takes over that result (${made.key}): leave out inputs, or start a new run with them`,
  );
}
