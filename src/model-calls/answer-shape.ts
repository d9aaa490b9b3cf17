// How a request holds a model to the shape of its answer.
//
//   SH1. A model is held to the shape by the provider's own schema; without one, by a tool that it must call; without
//        tools, by the prompt. A provider that refuses the tool is asked again without it.
//   SH2. Providers take objects alone: an answer of another kind is asked for as the one field of an object, and taken out of it.
import { EngineError } from "../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { LanguageModel, ModelRequest, ModelResponse } from "../llm/language-model.ts";

type ShapeRequest = Pick<ModelRequest, "responseSchema" | "tools" | "toolChoice">;

/** What the tool is called by which a model answers that has no schema of its provider's. */
const ANSWER_TOOL = "structured_output";

/** The same object for a schema every time, so that adapters convert its tool once. */
const answerTools = new WeakMap<JsonObject, ShapeRequest>();

/** What to add to a request so that `model` answers in this shape; undefined when only the prompt can say it. */
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

/** The schema itself, if it is that of an object, else one of an object with the value in its one field. The same for a schema every time. */
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

/** The value in the one field of an object, where the schema is that of no object; undefined for any other. */
export function outOfObject(schema: JsonObject, json: JsonValue): JsonValue | undefined {
  if (isOfObject(schema) || !isJsonObject(json)) return undefined;
  const [name, ...others] = Object.keys(json);
  return others.length === 0 && (name === LIST_FIELD || name === VALUE_FIELD)
    ? json[name]
    : undefined;
}

/** A reference at the root may be to anything. */
function isOfObject(schema: JsonObject): boolean {
  return schema["type"] === "object" || "$ref" in schema || "allOf" in schema;
}

/** The answer that came as a call of the tool of `shapeRequest`; undefined when it came in another way. */
export function answerByTool({ toolCalls }: ModelResponse): string | undefined {
  return toolCalls.find(({ name }) => name === ANSWER_TOOL)?.arguments;
}

/** Whether a provider refused a request that another one without the tool may pass. */
export function refusesShape(request: ShapeRequest | undefined, error: unknown): boolean {
  return request?.tools !== undefined && EngineError.is(error) && error.code === "model_rejected";
}
