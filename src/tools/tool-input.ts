// Schema of a tool's input: a zod schema, or one of another library with Standard Schema.
import type * as z from "zod";
import type { Issue } from "../base/error.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { validateJsonSchema } from "../base/json-schema.ts";
import { pointerOf } from "../base/json-pointer.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { toJson } from "../base/recorded.ts";
import { toIssues } from "../base/zod-issues.ts";
import { toParameters } from "./json-schema.ts";

/** Schema of any library with Standard Schema and Standard JSON Schema (Valibot, ArkType and others). */
export type StandardInput<Value = unknown> = {
  readonly "~standard": {
    readonly validate: (value: unknown) => StandardResult<Value> | Promise<StandardResult<Value>>;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
};

type StandardResult<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

type StandardIssue = {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
};

/** Allowed values of a tool's `input`. */
export type ToolInput = z.ZodType | StandardInput;

/** Parsed input for `run`. */
export type InputValue<Input extends ToolInput> = Input extends z.ZodType
  ? z.output<Input>
  : Input extends StandardInput<infer Value>
    ? Value
    : never;

type ReadInput = { readonly value: unknown } | { readonly issues: readonly Issue[] };

/** Reader of a schema for tools. */
export type InputReader = {
  readonly parameters: JsonObject;
  readonly fits: (input: JsonValue) => boolean;
  readonly read: (input: JsonObject) => ReadInput | Promise<ReadInput>;
};

/** Fails with `invalid_definition` for a schema without a form for models. */
export function inputReader(schema: ToolInput): InputReader {
  return "_zod" in schema ? zodReader(schema) : standardReader(schema);
}

function zodReader(schema: z.ZodType): InputReader {
  return {
    parameters: toParameters(schema),
    fits: (input) => schema.safeParse(input).success,
    read: (input) => {
      const parsed = schema.safeParse(input);
      return parsed.success ? { value: parsed.data } : { issues: toIssues(parsed.error, input) };
    },
  };
}

function standardReader(schema: StandardInput): InputReader {
  const parameters = toParameters(standardJsonSchema(schema));
  return {
    parameters,
    // Uses the JSON Schema, as the library's own check may be asynchronous.
    fits: (input) => validateJsonSchema(parameters, input).length === 0,
    read: async (input) => {
      const result = await schema["~standard"].validate(input);
      return result.issues === undefined
        ? { value: result.value }
        : { issues: result.issues.map(toIssue) };
    },
  };
}

/**
 * Returns the JSON Schema of a schema of any library, like `fromZod`. Fails with `invalid_definition` if the schema has
 * none.
 */
export function standardJsonSchema(schema: StandardInput): JsonObject {
  const json: unknown = schema["~standard"]?.jsonSchema?.input({ target: "draft-2020-12" });
  if (json !== undefined && isJsonObject(json)) return toJson(json) as JsonObject;
  throw invalidDefinition(
    `a tool's input must be a zod schema, or one that says itself what its JSON Schema is (Standard JSON Schema): toolFromSchema() takes a JSON Schema as it is; got ${preview(schema)}`,
  );
}

function toIssue({ message, path = [] }: StandardIssue): Issue {
  return {
    path: pointerOf(path.map((part) => (typeof part === "object" ? part.key : part))),
    message,
  };
}
