// Schemas of inputs as frameworks hold them: zod, Standard Schema, the AI SDK's own, plain JSON Schema, or a function that makes one.
import { errorMessage } from "../base/error.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { isJsonObject, preview, toJson, type JsonObject } from "../base/json.ts";
import { toParameters } from "../tools/json-schema.ts";
import { standardJsonSchema, type StandardInput, type ToolInput } from "../tools/tool-input.ts";

const TEXT_INPUT: JsonObject = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
};

/** A schema that also parses. Throws `invalid_definition` for one that cannot be described to a model. */
export function parsingSchema(schema: unknown): ToolInput | undefined {
  const made = typeof schema === "function" ? (schema as () => unknown)() : schema;
  if (!isObject(made)) return undefined;
  if ("_zod" in made || describesItself(made)) return made as unknown as ToolInput;
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

/** The JSON Schema of a schema in any form. Throws `invalid_definition` for one that says none. */
export function jsonSchemaOf(schema: unknown): JsonObject {
  const made = typeof schema === "function" ? (schema as () => unknown)() : schema;
  if (made === undefined || made === null) return toParameters({});
  if (!isObject(made)) throw unreadable(made);
  if ("_zod" in made) return toParameters(made as never);
  if (isTextOfZod3(made)) return TEXT_INPUT;
  if (describesItself(made))
    return toParameters(standardJsonSchema(made as unknown as StandardInput));
  if ("jsonSchema" in made) return jsonSchemaOf(made["jsonSchema"]);
  if ("_def" in made || typeof made["then"] === "function") throw unreadable(made);
  return toParameters(toJson(made) as JsonObject);
}

/** Whether it follows Standard JSON Schema. */
function describesItself(schema: Readonly<Record<string, unknown>>): boolean {
  return fieldOf(schema["~standard"], "jsonSchema") !== undefined;
}

/** Whether it is the schema of one text `input`, in which LangChain's tools of texts have it, of a zod that cannot describe itself. */
function isTextOfZod3(schema: Readonly<Record<string, unknown>>): boolean {
  const inner = fieldOf(fieldOf(schema, "_def"), "schema");
  const shape = fieldOf(inner, "shape");
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
    `the schema of a tool's input must be a zod 4 schema, one that follows Standard JSON Schema, or a JSON Schema; pass the \`parameters\` as JSON Schema for any other, such as one of zod 3; got ${preview(schema)}`,
  );
}
