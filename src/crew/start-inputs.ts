import { checkInputs } from "../base/interpolate.ts";
import type { JsonObject } from "../base/json.ts";
import { requireInputs } from "../parts/required-inputs.ts";
import type { Crew } from "./crew.ts";

/** What the start of a run has to know of its crew. */
export type StartedCrew = Pick<Crew, "requiredInputs" | "inputSchema" | "heldInputs">;

/**
 * Inputs of a run that the deployment starts for others: over HTTP, in a batch, by a trigger. The crew's texts need theirs. Throws
 * `invalid_input` with one issue for each input that is missing or wrong.
 */
export function startInputs(crew: StartedCrew, inputs: JsonObject): JsonObject {
  if (crew.inputSchema === undefined)
    requireInputs({ names: crew.requiredInputs, of: "crew" }, inputs);
  return crew.heldInputs(inputs);
}

/**
 * Inputs of a run that code starts in this process. Without any the texts keep their placeholders; with some, as `startInputs`.
 * Throws `invalid_input`.
 */
export function codeInputs(crew: StartedCrew, inputs: JsonObject): JsonObject {
  checkInputs(inputs);
  return Object.keys(inputs).length === 0 ? crew.heldInputs(inputs) : startInputs(crew, inputs);
}
