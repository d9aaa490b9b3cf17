// Input schemas of other frameworks: zod 4 and 3, Standard Schema, the AI SDK's own form, plain JSON Schema, or a
// function that makes one of these.
import { errorMessage } from "../base/error.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { isJsonObject, preview, type JsonObject } from "../base/json.ts";
import { toJson } from "../base/recorded.ts";
import { toParameters } from "../tools/json-schema.ts";
import { standardJsonSchema, type StandardInput, type ToolInput } from "../tools/tool-input.ts";
import { isZod3, zod3JsonSchema, type Zod3Schema } from "./zod3-schema.ts";

const TEXT_INPUT: JsonObject = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
};

/** Returns a schema that also parses. Throws `invalid_definition` if it has no description for a model. */
export function parsingSchema(schema: unknown): ToolInput | undefined {
  const made = typeof schema === "function" ? madeBy(schema) : schema;
  if (isZod3(made)) return standardOfZod3(made);
  if (!isObject(made)) return undefined;
  if ("_zod" in made || describesItself(made)) return made as unknown as ToolInput;
  const described = describedInItsWay(made);
  if (described !== undefined) return described;
  if (!("jsonSchema" in made)) return undefined;
  const { validate } = made;
  return {
    "~standard": {
      validate: async (value: unknown) => {
        if (typeof validate !== "function") return { value };
        const result = (await validate(value)) as SdkValidation;
        return result.success
          ? { value: result.value }
          : { issues: [{ message: errorMessage(result.error) }] };
      },
      jsonSchema: { input: () => jsonSchemaOf(made) },
    },
  };
}

type SdkValidation =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error?: unknown };

/** Returns the JSON Schema of a schema in any form. Throws `invalid_definition` if it has none. */
export function jsonSchemaOf(schema: unknown): JsonObject {
  const made = typeof schema === "function" ? madeBy(schema) : schema;
  if (made === undefined || made === null) return toParameters({});
  if (isZod3(made)) return isTextAlone(made) ? TEXT_INPUT : toParameters(zod3JsonSchema(made));
  if (!isObject(made)) throw unreadable(made);
  if ("_zod" in made) return toParameters(made as never);
  const described = describesItself(made) ? made : describedInItsWay(made);
  if (described !== undefined)
    return toParameters(standardJsonSchema(described as unknown as StandardInput));
  if ("jsonSchema" in made) return jsonSchemaOf(made["jsonSchema"]);
  if ("_def" in made || "~standard" in made || typeof made["then"] === "function")
    throw unreadable(made);
  return toParameters(toJson(made) as JsonObject);
}

/** Schemas of some libraries are functions with fields. Other functions make a schema. */
function madeBy(schema: unknown): unknown {
  const fields = schema as Readonly<Record<string, unknown>>;
  return "~standard" in fields ? { ...pickStandard(fields) } : (schema as () => unknown)();
}

function pickStandard(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { "~standard": standard, toJsonSchema } = schema;
  return {
    "~standard": standard,
    ...(typeof toJsonSchema === "function"
      ? { toJsonSchema: () => toJsonSchema.call(schema) }
      : {}),
  };
}

function standardOfZod3(schema: Zod3Schema): StandardInput {
  return {
    "~standard": {
      validate: async (value) => {
        const { success, data, error } = await schema.safeParseAsync(value);
        return success ? { value: data } : { issues: error?.issues ?? [] };
      },
      jsonSchema: { input: () => zod3JsonSchema(schema) },
    },
  };
}

/** True if it follows Standard JSON Schema. */
function describesItself(schema: Readonly<Record<string, unknown>>): boolean {
  return fieldOf(schema["~standard"], "jsonSchema") !== undefined;
}

/** Reads a Standard Schema that has its JSON Schema elsewhere, such as those of ArkType. */
function describedInItsWay(schema: Readonly<Record<string, unknown>>): StandardInput | undefined {
  const { "~standard": standard, toJsonSchema } = schema;
  if (!isObject(standard) || typeof toJsonSchema !== "function") return undefined;
  const { validate } = standard as StandardInput["~standard"];
  return {
    "~standard": {
      validate: (value) => validate(value),
      jsonSchema: { input: () => toJsonSchema.call(schema) as Record<string, unknown> },
    },
  };
}

/**
 * True for the schema of one text `input`, as LangChain's text tools have it. Their schema marks the text as optional.
 */
function isTextAlone({ _def: { schema } }: Zod3Schema): boolean {
  const shape = fieldOf(schema, "shape");
  return isObject(shape) && Object.keys(shape).join() === "input";
}

function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isJsonObject(value);
}

function unreadable(schema: unknown): Error {
  return invalidDefinition(
    `the schema of a tool's input must be a schema of zod 3 or 4, a Standard JSON Schema, or a JSON Schema; pass the \`parameters\` as JSON Schema for any other; got ${preview(schema)}`,
  );
}
