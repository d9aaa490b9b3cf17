import { checkInputs } from "../base/interpolate.ts";
import type { JsonObject } from "../base/json.ts";
import { requireInputs } from "../parts/required-inputs.ts";

/** Fields of a crew for the start of a run. */
export type StartedCrew = {
  readonly requiredInputs: readonly string[];
  readonly inputSchema: JsonObject | undefined;
  heldInputs(inputs: JsonObject): JsonObject;
};

/**
 * Returns the inputs of a run started by the deployment: over HTTP, in a batch, by a trigger. All placeholders of the
 * crew's texts are required. Throws `invalid_input` with one issue for each missing or wrong input.
 */
export function startInputs(crew: StartedCrew, inputs: JsonObject): JsonObject {
  if (crew.inputSchema === undefined)
    requireInputs({ names: crew.requiredInputs, of: "crew" }, inputs);
  return crew.heldInputs(inputs);
}

/**
 * Returns the inputs of a run started by code in this process. Without inputs the texts keep their placeholders; with
 * inputs, like `startInputs`. Throws `invalid_input`.
 */
export function codeInputs(crew: StartedCrew, inputs: JsonObject): JsonObject {
  checkInputs(inputs);
  return Object.keys(inputs).length === 0 ? crew.heldInputs(inputs) : startInputs(crew, inputs);
}
