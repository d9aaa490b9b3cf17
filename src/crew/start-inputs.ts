import type { JsonObject } from "../base/json.ts";
import { requireInputs } from "../parts/required-inputs.ts";
import type { Crew } from "./crew.ts";

/**
 * What a run of the crew starts with: the inputs held to its schema. Throws `invalid_input` with one issue for each input that is missing
 * or wrong.
 */
export function startInputs(
  crew: Pick<Crew, "requiredInputs" | "inputSchema" | "heldInputs">,
  inputs: JsonObject,
): JsonObject {
  if (crew.inputSchema === undefined)
    requireInputs({ names: crew.requiredInputs, of: "crew" }, inputs);
  return crew.heldInputs(inputs);
}
