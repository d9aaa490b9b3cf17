// A person reviews a method's output, and the flow continues as they decide.
//
//   FB1. The method's own work is over before the person is asked: it is not done again when they answer.
//   FB2. Without `emit` the method gives the person's feedback. With it, the feedback becomes one of those labels, and
//        the method is a router for it.
//   FB3. A label that the person names needs no model. Other words are put to a model; nothing at all is the default.
//   FB4. What a model does not decide is the first label; a person's words are never lost by a model that fails.
import { cut } from "../base/cut.ts";
import { callModel, UsageMeter } from "../model-calls/model-call.ts";
import { fill, type Prompts } from "../agent/prompts/prompts.ts";
import { shapeRequest, answerByTool } from "../model-calls/answer-shape.ts";
import { Transcript } from "../model-calls/transcript.ts";
import { isoTime } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import { learnFrom, reviewedOutput, type LearningFeedback } from "./feedback-lessons.ts";

/** How a person reviews the output of a method. */
export type FeedbackDefinition = LearningFeedback & {
  /** The person reads this along with the method's output. */
  readonly message: string;
  /** The labels that the feedback can become. */
  readonly emit?: readonly string[];
  /** The model that finds the label. @default the environment's */
  readonly llm?: ModelSpec;
  /** The label that stands for no feedback at all, or for none in time. It is one of `emit`. @default the first */
  readonly defaultOutcome?: string;
  /** Stored with the feedback. */
  readonly metadata?: JsonObject;
  /** The person has this long to answer; after that it counts as no feedback. An integer >= 1. @default no limit */
  readonly expiresInSeconds?: number;
};

/** A person's answer about a method's output. */
export type HumanFeedbackResult = {
  /** The method's output. */
  readonly output: JsonValue;
  /** Empty for none. */
  readonly feedback: string;
  /** The label that the feedback became; null without `emit`. */
  readonly outcome: string | null;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly methodName: string;
  readonly metadata: JsonObject;
  /** Who answered, where they said so. */
  readonly by?: string;
};

/** Throws `invalid_definition` for a definition that no run could ask for. */
export function checkFeedback(definition: FeedbackDefinition, where: string): void {
  const { message, emit, llm, defaultOutcome, expiresInSeconds, learnSource } = definition;
  const invalid = (rule: string, value: unknown): EngineError =>
    new EngineError("invalid_definition", `${where}: humanFeedback.${rule}, got ${preview(value)}`);
  if (typeof message !== "string" || message.trim() === "")
    throw invalid("message must be a text that is not empty", message);
  if (
    emit !== undefined &&
    (emit.length === 0 || emit.some((label) => typeof label !== "string" || label === ""))
  )
    throw invalid("emit must be a list of at least one non-empty label", emit);
  if (emit !== undefined && llm !== undefined && (llm === "" || llm === null))
    throw invalid("llm must name the model that chooses the label", llm);
  if (defaultOutcome !== undefined && emit === undefined)
    throw invalid("defaultOutcome needs emit", defaultOutcome);
  if (defaultOutcome !== undefined && emit?.includes(defaultOutcome) !== true)
    throw invalid(`defaultOutcome must be one of ${emit?.join(", ")}`, defaultOutcome);
  if (learnSource !== undefined && (typeof learnSource !== "string" || learnSource === ""))
    throw invalid("learnSource must be a text that is not empty", learnSource);
  if (
    expiresInSeconds !== undefined &&
    !(Number.isInteger(expiresInSeconds) && expiresInSeconds >= 1)
  )
    throw invalid("expiresInSeconds must be an integer >= 1", expiresInSeconds);
}

export type FeedbackRequest = {
  readonly feedback: FeedbackDefinition;
  readonly methodName: string;
  readonly output: JsonValue;
  readonly prompts: Prompts;
};

/** Asks a person and returns their answer. */
export async function askFeedback(
  scope: RunScope,
  pending: FeedbackRequest,
): Promise<HumanFeedbackResult> {
  const { feedback, methodName } = pending;
  const place = scope.at("feedback");
  const output = await reviewedOutput(place, pending);
  const request = { ...pending, output };
  const { message, emit, metadata = {}, expiresInSeconds } = feedback;
  const inner = place.open("human_feedback_requested", {
    methodName,
    message,
    output,
    requestId: place.path,
  });
  const answer = await inner.wait<{ feedback?: string; value?: JsonValue; by?: string }>({
    kind: "human",
    prompt: promptOf(output, message),
    ...(emit === undefined ? undefined : { choices: emit, freeText: true }),
    ...(expiresInSeconds === undefined
      ? undefined
      : { dueAtMs: scope.at("asked").now() + expiresInSeconds * 1000, otherwise: {} }),
  });
  const answeredAtMs = scope.at("answered").now();
  const said = typeof answer.value === "string" ? answer.value : (answer.feedback ?? "");
  const outcome =
    emit === undefined ? null : await outcomeOf(place, said.trim(), { ...request, emit });
  place.emit("human_feedback_received", {
    feedback: said,
    ...(outcome === null ? undefined : { outcome }),
    ...(answer.by === undefined ? undefined : { by: answer.by }),
  });
  await learnFrom(place, request, said);
  return {
    output,
    feedback: said,
    outcome,
    timestamp: isoTime(answeredAtMs),
    methodName,
    metadata,
    ...(answer.by === undefined ? undefined : { by: answer.by }),
  };
}

/** Of what the person is shown of a result; the whole of it is in the event. */
const MAX_SHOWN = 16_384;

/** Whoever answers an inbox or a webhook sees nothing else: the result comes with the question. */
function promptOf(output: JsonValue, message: string): string {
  const text = isJsonObject(output) && typeof output["raw"] === "string" ? output["raw"] : output;
  const shown = typeof text === "string" ? text : JSON.stringify(text, null, 2);
  return output === null || shown.trim() === ""
    ? message
    : `${cut(shown, MAX_SHOWN)}\n\n---\n${message}`;
}

async function outcomeOf(
  scope: RunScope,
  said: string,
  request: FeedbackRequest & { readonly emit: readonly string[] },
): Promise<string> {
  const { feedback, emit } = request;
  const first = emit[0] ?? "";
  if (said === "") return feedback.defaultOutcome ?? first;
  return named(said, emit) ?? (await judged(scope, said, request)) ?? first;
}

/** Returns the label that equals a text, ignoring case. */
function named(text: string, emit: readonly string[]): string | undefined {
  const wanted = text.trim().toLowerCase();
  return emit.find((label) => label.toLowerCase() === wanted);
}

/** Asks a model for the label; returns undefined when it names none. */
async function judged(
  scope: RunScope,
  said: string,
  { feedback, emit, output, prompts }: FeedbackRequest & { readonly emit: readonly string[] },
): Promise<string | undefined> {
  const model = scope.model(feedback.llm);
  const decides = "choose what a person's words mean";
  const caller = { model, budget: {}, meter: new UsageMeter(), decides };
  const transcript = new Transcript([
    {
      role: "user",
      content: fill(prompts.slices.humanFeedbackCollapse, {
        outcomes: emit.join(", "),
        output: preview(output, 4_000),
        feedback: said,
      }),
    },
  ]);
  const ask = async (place: RunScope, form: ReturnType<typeof shapeRequest>): Promise<string> => {
    const request = { messages: transcript.messages, ...form };
    const response = await callModel(place, caller, { request, inputHash: transcript.hash });
    return answerByTool(response) ?? response.text;
  };
  try {
    return (
      labelIn(await ask(scope.at("outcome"), shapeRequest(model, schemaOf(emit))), emit) ?? emit[0]
    );
  } catch {
    // A model that rejects the output format may still answer in words.
  }
  try {
    const text = await ask(scope.at("outcome-in-words"), undefined);
    return named(text, emit) ?? contained(text, emit);
  } catch {
    return undefined;
  }
}

function labelIn(text: string, emit: readonly string[]): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return named(text, emit) ?? contained(text, emit);
  }
  const outcome = isJsonObject(parsed) ? parsed["outcome"] : parsed;
  return typeof outcome === "string" ? named(outcome, emit) : undefined;
}

/** Returns the longest label that a text contains; of equals, the first. */
function contained(text: string, emit: readonly string[]): string | undefined {
  const within = emit.filter((label) => text.toLowerCase().includes(label.toLowerCase()));
  return within.toSorted((a, b) => b.length - a.length)[0];
}

const schemas = new WeakMap<readonly string[], JsonObject>();

/** The same object for a list of labels every time. */
function schemaOf(emit: readonly string[]): JsonObject {
  let schema = schemas.get(emit);
  if (schema === undefined) {
    schema = {
      type: "object",
      properties: { outcome: { type: "string", enum: emit } },
      required: ["outcome"],
      additionalProperties: false,
    };
    schemas.set(emit, schema);
  }
  return schema;
}
