// Classification of a person's feedback into a label.
//
//   FO1. A model decides, with its answer in a shape enforced by the provider. If this fails or yields no label, it
//        decides once more in words.
//   FO2. An answer in words counts if it mentions exactly one label, as a separate word and without a negation.
//   FO3. `offline/demo` is never asked: it is no language model.
//   FO4. A model that fails or returns no label decides nothing, and an event has the reason. The person is then asked
//        again; with `compat: "crewai"` the method fails as in CrewAI. Errors that stop the run are thrown.
import { fill, type Prompts } from "../agent/prompts/prompts.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { endsRun } from "../base/run-ending-error.ts";
import {
  isJsonObject,
  preview,
  parsedJson,
  type JsonObject,
  type JsonValue,
} from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { isDenied, mentionsIn, nameForm, sameNameIn } from "../text/index.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import { answerByTool, shapeRequest } from "../model-calls/answer-shape.ts";
import { checkJudges } from "../model-calls/judgement.ts";
import { callModel } from "../model-calls/model-call.ts";
import { Transcript } from "../model-calls/transcript.ts";
import { UsageMeter } from "../model-calls/usage-meter.ts";

const DECIDES = "choose what a person's words mean";

export type OutcomeQuestion = {
  /** Feedback of the person. */
  readonly said: string;
  readonly output: JsonValue;
  readonly labels: readonly string[];
  readonly llm: ModelSpec | undefined;
  readonly prompts: Prompts;
  readonly methodName: string;
  /**
   * Reads a model's answer like CrewAI: the longest mentioned label counts. An answer in the shape but without a label
   * is final, and no label is a failure.
   */
  readonly compat: boolean;
};

/**
 * Returns the label a model finds; undefined if there is no decision. With `compat` it throws the reason instead, such
 * as `output_invalid`.
 */
export async function judgedOutcome(
  scope: RunScope,
  question: OutcomeQuestion,
): Promise<string | undefined> {
  const { said, methodName, labels, compat } = question;
  try {
    const decided = await judged(scope, question);
    if (decided !== undefined) return decided;
    throw noLabel(labels);
  } catch (error) {
    if (endsRun(error)) throw error;
    scope.emit("human_feedback_undecided", {
      methodName,
      feedback: said,
      error: errorMessage(error),
    });
    if (compat) throw unread(error, question);
    return undefined;
  }
}

/** Returns the label equal to a text in the form of names. */
export function labelNamed(text: string, labels: readonly string[]): string | undefined {
  return sameNameIn(text.trim(), labels);
}

async function judged(scope: RunScope, question: OutcomeQuestion): Promise<string | undefined> {
  const { labels, llm, output, said, prompts, compat } = question;
  const model = scope.model(llm);
  checkJudges(model, DECIDES);
  const caller = { model, budget: {}, meter: new UsageMeter() };
  const transcript = new Transcript([
    {
      role: "user",
      content: fill(prompts.slices.humanFeedbackCollapse, {
        outcomes: labels.join(", "),
        output: preview(output, 4_000),
        feedback: said,
      }),
    },
  ]);
  const ask = async (place: RunScope, form: ReturnType<typeof shapeRequest>): Promise<string> => {
    const request = { messages: transcript.messages, ...form };
    const response = await callModel(place, caller, {
      request,
      inputHash: transcript.hash,
      purpose: "route",
    });
    return answerByTool(response) ?? response.text;
  };
  try {
    const text = await ask(scope.at("outcome"), shapeRequest(model, schemaOf(labels)));
    const label = labelIn(text, question);
    if (label !== undefined || compat) return label;
  } catch (error) {
    if (endsRun(error)) throw error; // otherwise a model that rejects the shape may still answer in words
  }
  return labelIn(await ask(scope.at("outcome-in-words"), undefined), question);
}

/** By CrewAI's rules unreadable feedback fails the method. */
function unread(error: unknown, { said, labels }: OutcomeQuestion): EngineError {
  const code = EngineError.is(error) ? error.code : "output_invalid";
  const message = `the feedback ${preview(said)} is none of ${labels.join(", ")}: ${errorMessage(error)}`;
  return new EngineError(code, message, { cause: error });
}

function noLabel(labels: readonly string[]): EngineError {
  return new EngineError("output_invalid", `the model named none of ${labels.join(", ")}`);
}

function labelIn(text: string, { labels, compat }: OutcomeQuestion): string | undefined {
  const inWords = (): string | undefined =>
    labelNamed(text, labels) ?? (compat ? longestIn(text, labels) : onlyOneIn(text, labels));
  const parsed = parsedJson(text);
  if (parsed === undefined) return inWords();
  const outcome = isJsonObject(parsed) ? parsed["outcome"] : parsed;
  return typeof outcome === "string" ? labelNamed(outcome, labels) : undefined;
}

/** Returns the longest label contained in a text; the first of equally long ones. */
function longestIn(text: string, labels: readonly string[]): string | undefined {
  const form = nameForm(text);
  const within = labels.filter((label) => form.includes(nameForm(label)));
  return within.toSorted((a, b) => b.length - a.length)[0];
}

/** FO2 */
function onlyOneIn(text: string, labels: readonly string[]): string | undefined {
  const { names, rest } = mentionsIn(text, labels);
  return names.length === 1 && !isDenied(rest) ? names[0] : undefined;
}

const schemas = new WeakMap<readonly string[], JsonObject>();

/** Returns the same object for the same list of labels. */
function schemaOf(labels: readonly string[]): JsonObject {
  let schema = schemas.get(labels);
  if (schema === undefined) {
    schema = {
      type: "object",
      properties: { outcome: { type: "string", enum: labels } },
      required: ["outcome"],
      additionalProperties: false,
    };
    schemas.set(labels, schema);
  }
  return schema;
}
