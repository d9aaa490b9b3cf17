// Constrains the answer of a model to a shape.
//
//   SH1. The shape is enforced by the provider's own schema; without one, by a tool with a required call; without
//        tools, by the prompt. A provider that refuses the tool is asked again without it.
//   SH2. Providers accept only objects: an answer of another kind is requested as the one field of an object, and
//        unwrapped.
import { EngineError } from "../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { LanguageModel, ModelRequest, ModelResponse } from "../llm/language-model.ts";

type ShapeRequest = Pick<ModelRequest, "responseSchema" | "tools" | "toolChoice">;

/** Name of the tool for structured answers, for models whose provider has no schema of its own. */
const ANSWER_TOOL = "structured_output";

/** One object per schema, so adapters convert its tool once. */
const answerTools = new WeakMap<JsonObject, ShapeRequest>();

/** Returns the fields of a request for an answer in this shape; undefined if only the prompt can ask for it. */
export function shapeRequest(
  { capabilities }: LanguageModel,
  shape: JsonObject,
): ShapeRequest | undefined {
  const schema = asObject(shape);
  if (capabilities.responseSchema) return { responseSchema: { name: "answer", schema } };
  if (!capabilities.tools) return undefined;
  let request = answerTools.get(schema);
  if (request === undefined) {
    const description = "Gives the answer. Call it once, with the whole answer.";
    const tool = { name: ANSWER_TOOL, description, parameters: schema };
    answerTools.set(schema, (request = { tools: [tool], toolChoice: "required" }));
  }
  return request;
}

const LIST_FIELD = "items";
const VALUE_FIELD = "value";

const objects = new WeakMap<JsonObject, JsonObject>();

/**
 * Returns an object schema: the schema itself, or an object with the value in its one field. Returns the same object
 * for a schema every time.
 */
export function asObject(schema: JsonObject): JsonObject {
  if (isOfObject(schema)) return schema;
  let object = objects.get(schema);
  if (object === undefined) {
    const { $schema: _, $defs, definitions, ...value } = schema;
    const field = schema["type"] === "array" ? LIST_FIELD : VALUE_FIELD;
    object = {
      type: "object",
      properties: { [field]: value },
      required: [field],
      additionalProperties: false,
      ...($defs === undefined ? undefined : { $defs }),
      ...(definitions === undefined ? undefined : { definitions }),
    };
    objects.set(schema, object);
  }
  return object;
}

/** Returns the value in the one field of a wrapped answer; undefined for an object schema or any other answer. */
export function outOfObject(schema: JsonObject, json: JsonValue): JsonValue | undefined {
  if (isOfObject(schema) || !isJsonObject(json)) return undefined;
  const [name, ...others] = Object.keys(json);
  return others.length === 0 && (name === LIST_FIELD || name === VALUE_FIELD)
    ? json[name]
    : undefined;
}

/** A reference at the root may point to any schema. */
function isOfObject(schema: JsonObject): boolean {
  return schema["type"] === "object" || "$ref" in schema || "allOf" in schema;
}

/** Returns the answer from a call of `shapeRequest`'s tool; undefined without such a call. */
export function answerByTool({ toolCalls }: ModelResponse): string | undefined {
  return toolCalls.find(({ name }) => name === ANSWER_TOOL)?.arguments;
}

/** True if a provider refused a request that may pass without the tool. */
export function refusesShape(request: ShapeRequest | undefined, error: unknown): boolean {
  return request?.tools !== undefined && EngineError.is(error) && error.code === "model_rejected";
}
