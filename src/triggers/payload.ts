// What a delivery or message says, as inputs of a run.
import { EngineError, type Issue } from "../base/error.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { isPointer, valueAtPointer } from "../base/json-pointer.ts";
import { validateJsonSchema } from "../base/json-schema.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import type { InputPointers } from "./run-target.ts";

/** The input that tells a crew of the event that started it. */
export const PAYLOAD_INPUT = "crewai_trigger_payload";

const WHOLE: InputPointers = { [PAYLOAD_INPUT]: "" };

/**
 * The inputs that pointers into the payload lead to; where a pointer leads to nothing, the input is left out.
 * Throws `invalid_input` with one issue for each field that does not fit the schema.
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
    if (issues.length > 0) throw invalidInput("the body does not fit the trigger's schema", issues);
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

/** What is wrong with pointers and schema, before anything was delivered. */
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

/** The inputs that are needed, and that no pointer gives. */
export function missingPointers(
  needed: readonly string[],
  inputs: InputPointers = WHOLE,
): readonly Issue[] {
  if (typeof inputs === "string") return [];
  return needed
    .filter((name) => !Object.hasOwn(inputs, name))
    .map((name) => ({
      path: `/inputs/${name}`,
      message: "expected a JSON pointer into the body, as the target needs this input, got nothing",
    }));
}

function schemaIssues(schema: JsonObject | undefined): readonly Issue[] {
  if (schema === undefined) return [];
  try {
    validateJsonSchema(schema, {});
    return [];
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return [{ path: "/schema", message: error.message }];
  }
}
