// The JSON Schema that describes a zod schema to a model.
import * as z from "zod";
import { EngineError, errorMessage } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject } from "../base/json.ts";

/**
 * The JSON Schema of a tool's input, in the form that every provider takes: an object at the root, no `$schema`.
 * Of a zod schema it is the side that callers write: fields with defaults are optional, transforms are not applied.
 *
 * Throws `invalid_definition` for what JSON Schema cannot say, and for input that is not an object.
 */
export function toParameters(schema: z.ZodType | JsonObject): JsonObject {
  const { $schema: _, ...parameters } = isZodSchema(schema) ? fromZod(schema) : schema;
  if (parameters["type"] === undefined && isJsonObject(parameters["properties"]))
    return { type: "object", ...parameters };
  if (parameters["type"] === undefined && Object.keys(parameters).length === 0)
    return { type: "object", properties: {} };
  if (parameters["type"] !== "object") {
    throw new EngineError(
      "invalid_definition",
      `a tool's input must be the schema of one object, such as z.object({ … }); got ${preview(parameters)}`,
    );
  }
  return parameters["properties"] === undefined ? { ...parameters, properties: {} } : parameters;
}

export function isZodSchema(schema: z.ZodType | JsonObject): schema is z.ZodType {
  return "_zod" in schema;
}

/** The JSON Schema of a zod schema: the side that is written, not the one that is read. Throws `invalid_definition`. */
export function fromZod(schema: z.ZodType): JsonObject {
  try {
    const { $schema: _, ...converted } = z.toJSONSchema(schema, {
      io: "input",
      override: ({ jsonSchema }) => dropSafeIntegerBounds(jsonSchema),
    });
    return JSON.parse(JSON.stringify(converted)) as JsonObject;
  } catch (error) {
    throw new EngineError(
      "invalid_definition",
      `the zod schema has no JSON Schema, so a model cannot be told of it: ${errorMessage(error)}`,
      { cause: error },
    );
  }
}

/** `z.int()` says that integers are within ±2^53; that costs tokens on every call and tells a model nothing. */
function dropSafeIntegerBounds(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
