import { type JsonObject, type JsonValue, parsedJson } from "../base/json.ts";
import { environmentVariables } from "../base/system.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { LanguageModel, Message } from "../llm/language-model.ts";
import { modelCatalog, type ModelCatalog } from "../llm/model-catalog.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import { checkJudges } from "../model-calls/judgement.ts";
import { callModel } from "../model-calls/model-call.ts";
import { answerByTool, refusesShape, shapeRequest } from "../model-calls/answer-shape.ts";
import type { ModelCaller } from "../model-calls/model-caller.ts";
import { Transcript } from "../model-calls/transcript.ts";
import { UsageMeter } from "../model-calls/usage-meter.ts";

/** Question of a memory to a model, and the schema of the answer. */
export type MemoryQuestion = {
  readonly system: string;
  readonly user: string;
  /** JSON Schema of the answer; without it the answer is text. */
  readonly schema?: JsonObject;
};

/**
 * Asks a model for a memory: a step `llm` of the run at `place`, or a plain call outside of runs. The answer is a text,
 * or JSON not yet checked against the schema. Its errors end no save and no recall.
 */
export type MemoryModel = (
  question: MemoryQuestion,
  options: { readonly place: RunScope | undefined; readonly llm: ModelSpec | undefined },
) => Promise<JsonValue>;

/** Without an answer a memory takes its defaults. */
const DECISION = "analyse memories";

let environmentModels: ModelCatalog | undefined;

/** Asks the memory's model, or the deployment's; in a run as a step of the run. */
export const memoryModel: MemoryModel = async (question, { place, llm }) =>
  place === undefined
    ? askOutside(question, llm)
    : askInRun(question, place, { model: place.model(llm), budget: {}, meter: new UsageMeter() });

/**
 * Asks on behalf of a caller: within the caller's budget and rate, with the caller's hooks, and with the caller's model
 * if the memory names no model.
 */
export function memoryModelFor(caller: ModelCaller): MemoryModel {
  return async (question, { place, llm }) =>
    place === undefined
      ? askOutside(question, llm ?? caller.model)
      : askInRun(question, place, {
          ...caller,
          model: llm === undefined ? caller.model : place.model(llm),
        });
}

async function askInRun(
  question: MemoryQuestion,
  place: RunScope,
  caller: ModelCaller,
): Promise<JsonValue> {
  checkJudges(caller.model, DECISION);
  const messages = messagesOf(question);
  const inputHash = new Transcript(messages).hash;
  const shape = question.schema && shapeRequest(caller.model, question.schema);
  const request = { messages, ...shape };
  try {
    return readAnswer(
      question,
      await callModel(place, caller, { request, inputHash, purpose: "memory" }),
    );
  } catch (error) {
    if (!refusesShape(shape, error)) throw error;
    return readAnswer(
      question,
      await callModel(place.at("plain"), caller, {
        request: { messages },
        inputHash,
        purpose: "memory",
      }),
    );
  }
}

async function askOutside(
  question: MemoryQuestion,
  llm: ModelSpec | undefined,
): Promise<JsonValue> {
  const models = (environmentModels ??= modelCatalog({ variables: environmentVariables() }));
  const model = models(llm);
  checkJudges(model, DECISION);
  const messages = messagesOf(question);
  const shape = question.schema && shapeRequest(model, question.schema);
  const { signal } = new AbortController();
  try {
    return readAnswer(question, await model.generate({ messages, ...shape }, { signal }));
  } catch (error) {
    if (!refusesShape(shape, error)) throw error;
    return readAnswer(question, await model.generate({ messages }, { signal }));
  }
}

function messagesOf({ system, user, schema }: MemoryQuestion): readonly Message[] {
  const format =
    schema === undefined
      ? ""
      : `\n\nAnswer with one JSON object and nothing else, valid against this JSON Schema:\n${JSON.stringify(schema)}`;
  return [
    { role: "system", content: `${system}${format}` },
    { role: "user", content: user },
  ];
}

/** Returns the JSON of the answer. Invalid JSON is returned as text, which fits no schema. */
function readAnswer(
  { schema }: MemoryQuestion,
  response: Awaited<ReturnType<LanguageModel["generate"]>>,
): JsonValue {
  if (schema === undefined) return response.text;
  const text = answerByTool(response) ?? response.text;
  return (
    parsedJson(text) ??
    parsedJson(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)) ??
    response.text
  );
}
