// How a request holds a model to the shape of its answer.
//
//   SH1. A model is held to the shape by the provider's own schema; without one, by a tool that it must call; without
//        tools, by the prompt. A provider that refuses the tool is asked again without it.
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { LanguageModel, ModelRequest, ModelResponse } from "../llm/language-model.ts";

type ShapeRequest = Pick<ModelRequest, "responseSchema" | "tools" | "toolChoice">;

/** What the tool is called by which a model answers that has no schema of its provider's. */
const ANSWER_TOOL = "structured_output";

/** The same object for a schema every time, so that adapters convert its tool once. */
const answerTools = new WeakMap<JsonObject, ShapeRequest>();

/** What to add to a request so that `model` answers in this shape; undefined when only the prompt can say it. */
export function shapeRequest(
  { capabilities }: LanguageModel,
  schema: JsonObject,
): ShapeRequest | undefined {
  if (capabilities.responseSchema) return { responseSchema: { name: "answer", schema } };
  if (!capabilities.tools || schema["type"] !== "object") return undefined;
  let request = answerTools.get(schema);
  if (request === undefined) {
    const description = "Gives the answer. Call it once, with the whole answer.";
    const tool = { name: ANSWER_TOOL, description, parameters: schema };
    answerTools.set(schema, (request = { tools: [tool], toolChoice: "required" }));
  }
  return request;
}

/** The answer that came as a call of the tool of `shapeRequest`; undefined when it came in another way. */
export function answerByTool({ toolCalls }: ModelResponse): string | undefined {
  return toolCalls.find(({ name }) => name === ANSWER_TOOL)?.arguments;
}

/** Whether a provider refused a request that another one without the tool may pass. */
export function refusesShape(request: ShapeRequest | undefined, error: unknown): boolean {
  return request?.tools !== undefined && EngineError.is(error) && error.code === "model_rejected";
}
