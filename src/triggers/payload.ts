// Maps the body of a delivery or message to the inputs of a run.
import { EngineError, type Issue } from "../base/error.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { isPointer, valueAtPointer } from "../base/json-pointer.ts";
import { checkJsonSchema, validateJsonSchema } from "../base/json-schema.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import type { InputPointers } from "./run-target.ts";

/** Input for the event of a crew's trigger. */
export const PAYLOAD_INPUT = "crewai_trigger_payload";

const WHOLE: InputPointers = { [PAYLOAD_INPUT]: "" };

/**
 * Reads inputs from the payload with JSON pointers. An input without a value is left out.
 * Fails with `invalid_input`, with one issue for each field, if the payload does not match the schema.
 */
export function inputsOf(
  payload: JsonValue,
  {
    inputs = WHOLE,
    schema,
  }: { inputs?: InputPointers | undefined; schema?: JsonObject | undefined },
): JsonObject {
  if (schema !== undefined) {
    const issues = validateJsonSchema(schema, payload);
    if (issues.length > 0)
      throw invalidInput("the body does not match the trigger's schema", issues);
  }
  if (typeof inputs !== "string")
    return Object.fromEntries(
      Object.entries(inputs).flatMap(([name, pointer]) => {
        const value = valueAtPointer(payload, pointer);
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const all = valueAtPointer(payload, inputs);
  if (all !== undefined && isJsonObject(all)) return all;
  throw invalidInput("the body has no inputs", [
    { path: inputs, message: `expected an object of inputs, got ${preview(all)}` },
  ]);
}

/** Returns problems of the pointers and the schema. */
export function payloadIssues({
  inputs = WHOLE,
  schema,
}: {
  inputs?: InputPointers | undefined;
  schema?: JsonObject | undefined;
}): readonly Issue[] {
  const pointers: ReadonlyArray<readonly [path: string, pointer: string]> =
    typeof inputs === "string"
      ? [["/inputs", inputs]]
      : Object.entries(inputs).map(([name, pointer]) => [`/inputs/${name}`, pointer]);
  const issues = pointers
    .filter(([, pointer]) => !isPointer(pointer))
    .map(([path, pointer]) => ({
      path,
      message: `expected a JSON pointer into the body, such as "/issue/title", or "" for all of it, got ${preview(pointer)}`,
    }));
  return [...issues, ...schemaIssues(schema)];
}

/** Returns one issue for each needed input without a pointer. */
export function missingPointers(
  needed: readonly string[],
  inputs: InputPointers = WHOLE,
): readonly Issue[] {
  if (typeof inputs === "string") return [];
  return needed
    .filter((name) => !Object.hasOwn(inputs, name))
    .map((name) => ({
      path: `/inputs/${name}`,
      message:
        "expected a JSON pointer into the body, because the target needs this input, got nothing",
    }));
}

function schemaIssues(schema: JsonObject | undefined): readonly Issue[] {
  if (schema === undefined) return [];
  try {
    checkJsonSchema(schema);
    return [];
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return [{ path: "/schema", message: error.message }];
  }
}
