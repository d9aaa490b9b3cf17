// Fills inputs of a run into the texts of its crew or agent. Placeholders are those of template.ts.
//
//   IN1. Every input is checked before the first text is filled, used or not.
//   IN2. Texts are inserted unchanged, numbers plainly, everything else as JSON.
//   IN3. One pass: a placeholder inside a value stays text (upstream expands it, which lets inputs rewrite prompts).
import { EngineError } from "./error.ts";
import { pointerPart } from "./json-pointer.ts";
import { isPlainObject, jsonFaults, kindOf } from "./json-faults.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { isOptionalName, replacePlaceholders } from "./template.ts";

/**
 * Fills the placeholders of `text`. `where` names the text in the error, such as `the description of task "research"`.
 * Null and undefined give an empty text. A run without inputs leaves its texts as they are: its caller does not call
 * this.
 *
 * Throws `invalid_input` for the first placeholder without an input; optional ones stay unchanged.
 */
export function interpolate(
  text: string | null | undefined,
  inputs: JsonObject,
  where: string,
): string {
  return replacePlaceholders(text ?? "", (name) => {
    if (Object.hasOwn(inputs, name)) return asText(inputs[name] ?? null);
    if (isOptionalName(name)) return undefined;
    throw missingInput(name, inputs, where);
  });
}

/** Throws `invalid_input`, with an issue for each input without a JSON form. */
export function checkInputs(inputs: unknown): asserts inputs is JsonObject {
  if (!isPlainObject(inputs)) {
    throw new EngineError(
      "invalid_input",
      `inputs must be an object of names and values, got ${kindOf(inputs)}`,
    );
  }
  const issues = Object.entries(inputs).flatMap(([name, value]) =>
    jsonFaults(value, `/inputs/${pointerPart(name)}`),
  );
  const [first] = issues;
  if (first !== undefined) {
    throw new EngineError(
      "invalid_input",
      `${first.path.slice(1).replaceAll("/", ".")} ${first.message}`,
      { issues },
    );
  }
}

function missingInput(name: string, inputs: JsonObject, where: string): EngineError {
  const names = Object.keys(inputs).map((key) => JSON.stringify(key));
  const received = names.length === 0 ? "the inputs are empty" : `given: ${names.join(", ")}`;
  return new EngineError("invalid_input", `${where} needs the input "${name}"; ${received}`, {
    issues: [
      { path: `/inputs/${pointerPart(name)}`, message: `is needed by ${where}, got nothing` },
    ],
  });
}

function asText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
