// JSON Schema of a zod schema, for models.
import * as z from "zod";
import { EngineError, errorMessage } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject } from "../base/json.ts";

/**
 * Returns the JSON Schema of a tool's input in the form accepted by every provider: an object at the root, no
 * `$schema`. For a zod schema this is the side written by callers: fields with defaults are optional, transforms are
 * not applied.
 *
 * Fails with `invalid_definition` for schemas without a JSON Schema form, and for input other than an object.
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

/** Returns the JSON Schema of a zod schema: the written side, not the parsed one. Fails with `invalid_definition`. */
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

/** Removes the bounds of ±2^53 that `z.int()` adds. They cost tokens on every call and do not help a model. */
function dropSafeIntegerBounds(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
