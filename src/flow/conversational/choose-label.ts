import { callModel } from "../../model-calls/model-call.ts";
import { fill, type Prompts } from "../../agent/prompts/prompts.ts";
import { outputShape, type OutputSchema } from "../../agent/loop/structured-output.ts";
import { answerByTool, refusesShape, shapeRequest } from "../../model-calls/answer-shape.ts";
import { Transcript } from "../../model-calls/transcript.ts";
import { isJsonObject, type JsonObject, parsedJson } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { LanguageModel } from "../../llm/language-model.ts";
import { sameNameIn } from "../../text/index.ts";
import { UsageMeter } from "../../model-calls/usage-meter.ts";

/** A question to a model, and the labels as possible answers. */
export type LabelQuestion = {
  readonly model: LanguageModel;
  readonly system: string;
  readonly user: string;
  readonly labels: readonly string[];
  readonly prompts: Prompts;
  /** Field of the answer with the label. */
  readonly field: string;
  /** @default an object of `field` alone */
  readonly format?: OutputSchema | undefined;
};

/** Returns the label a model chooses; undefined if the model fails or names no label. */
export async function chooseLabel(
  place: RunScope,
  question: LabelQuestion,
): Promise<string | undefined> {
  try {
    return await asked(place, question);
  } catch {
    return undefined; // the conversation continues; `llm_call_failed` reports the error
  }
}

async function asked(place: RunScope, question: LabelQuestion): Promise<string | undefined> {
  const { model, system, user, labels, prompts, field, format } = question;
  const schema = format === undefined ? schemaOf(labels, field) : outputShape(format).schema;
  const form = fill(prompts.slices.formattedTaskInstructions, {
    output_format: JSON.stringify(schema, null, 2),
  });
  const transcript = new Transcript([
    { role: "system", content: [system, form].filter((text) => text !== "").join("\n\n") },
    { role: "user", content: user },
  ]);
  const decides = "choose what a message is about";
  const caller = { model, budget: {}, meter: new UsageMeter(), decides };
  const held = shapeRequest(model, schema);
  const call = async (at: RunScope, shape: typeof held): Promise<string> => {
    const request = { messages: transcript.messages, ...shape };
    const response = await callModel(at, caller, {
      request,
      inputHash: transcript.hash,
      purpose: "route",
    });
    return answerByTool(response) ?? response.text;
  };
  let text: string;
  try {
    text = await call(place, held);
  } catch (error) {
    if (!refusesShape(held, error)) throw error;
    text = await call(place.at("in-words"), undefined);
  }
  return labelIn(text, labels, field);
}

function labelIn(text: string, labels: readonly string[], field: string): string | undefined {
  const json =
    parsedJson(text) ?? parsedJson(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  const answer = isJsonObject(json) ? json[field] : (json ?? text);
  if (typeof answer !== "string") return undefined;
  return sameNameIn(answer.trim(), labels);
}

function schemaOf(labels: readonly string[], field: string): JsonObject {
  return {
    type: "object",
    properties: { [field]: { type: "string", enum: labels } },
    required: [field],
    additionalProperties: false,
  };
}
