import { checkInputs } from "../base/interpolate.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { pointerOf } from "../base/json-pointer.ts";
import type { JsonObject } from "../base/json.ts";

/** Throws `invalid_input` with one issue for each input that is missing or has no JSON form. */
export function requireInputs(
  { names, of }: { readonly names: readonly string[]; readonly of: string },
  inputs: JsonObject,
): void {
  checkInputs(inputs);
  const missing = names.filter((name) => !Object.hasOwn(inputs, name));
  if (missing.length === 0) return;
  throw invalidInput(
    "inputs are missing",
    missing.map((name) => ({
      path: pointerOf(["inputs", name]),
      message: `is needed by the ${of}'s texts, got nothing`,
    })),
  );
}
