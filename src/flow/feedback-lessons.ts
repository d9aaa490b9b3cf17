// Lessons from people's feedback on a method's results: `learn` of humanFeedback.
//
//   FL1. Before the question to a person, a model revises the result with the known lessons. The person sees the
//        revised result, which also counts. Without lessons, and after a failure, the result stays unchanged.
//   FL2. After a person's feedback, a model turns it into lessons, which are stored for the next time. A late answer
//        counts too: the run is the same one.
//   FL3. A failure here is reported in an event; with `learnStrict` it fails the method.
import { callModel } from "../model-calls/model-call.ts";
import { fill, type Prompts } from "../agent/prompts/prompts.ts";
import { answerByTool, shapeRequest } from "../model-calls/answer-shape.ts";
import { Transcript } from "../model-calls/transcript.ts";
import { errorMessage } from "../base/error.ts";
import {
  isJsonObject,
  preview,
  type JsonObject,
  type JsonValue,
  parsedJson,
} from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import { UsageMeter } from "../model-calls/usage-meter.ts";
import type { LessonStore } from "./lesson-store.ts";

export type LearningFeedback = {
  readonly llm?: ModelSpec;
  /**
   * Learns from people's feedback: lessons are applied before the question, and drawn from the answer. @default false
   */
  readonly learn?: boolean;
  /** Source name of the stored lessons. @default "hitl" */
  readonly learnSource?: string;
  /** Fails the method when learning fails. @default false */
  readonly learnStrict?: boolean;
};

type Learner = {
  readonly feedback: LearningFeedback;
  readonly methodName: string;
  readonly output: JsonValue;
  readonly prompts: Prompts;
};

const MAX_SHOWN = 16_000;
const MAX_LESSONS = 20;

const REVIEWED: JsonObject = {
  type: "object",
  properties: { improved_output: { type: "string" } },
  required: ["improved_output"],
  additionalProperties: false,
};
const LESSONS: JsonObject = {
  type: "object",
  properties: { lessons: { type: "array", items: { type: "string" } } },
  required: ["lessons"],
  additionalProperties: false,
};

/** Returns the result after a revision with the known lessons. */
export async function reviewedOutput(scope: RunScope, learner: Learner): Promise<JsonValue> {
  const store = storeOf(scope, learner);
  if (store === undefined) return learner.output;
  const { output, methodName, prompts } = learner;
  const reviewed = await learning(scope, learner, async () => {
    const query = `human feedback lessons for ${methodName}: ${preview(output, 1_000)}`;
    const lessons = await scope.at("lessons").step<readonly string[]>({
      kind: "effect",
      run: (_, inside) => inside.run(() => store.recall(query, sourceOf(learner))),
    });
    if (lessons.length === 0) return output;
    const text = await ask(scope.at("review"), learner, {
      prompt: fill(prompts.slices.humanFeedbackReview, {
        lessons: lessons.map((lesson) => `- ${lesson}`).join("\n"),
        output: shown(output),
      }),
      schema: REVIEWED,
    });
    return improved(text, output);
  });
  return reviewed ?? output;
}

/** Stores lessons from a person's feedback. */
export async function learnFrom(scope: RunScope, learner: Learner, said: string): Promise<void> {
  const store = storeOf(scope, learner);
  if (store === undefined || said.trim() === "") return;
  await learning(scope, learner, async () => {
    const text = await ask(scope.at("distil"), learner, {
      prompt: fill(learner.prompts.slices.humanFeedbackLessons, {
        output: shown(learner.output),
        feedback: said,
      }),
      schema: LESSONS,
    });
    const lessons = lessonsIn(text);
    if (lessons.length === 0) return;
    await scope.at("remember").step<null>({
      kind: "effect",
      run: (_, inside) =>
        inside.run(async () => {
          await store.remember(lessons, sourceOf(learner));
          return null;
        }),
    });
  });
}

function storeOf({ services }: RunScope, { feedback }: Learner): LessonStore | undefined {
  return feedback.learn === true ? services.lessons : undefined;
}

function sourceOf({ feedback }: Learner): string {
  return feedback.learnSource ?? "hitl";
}

/** FL3 */
async function learning<T>(
  scope: RunScope,
  { feedback, methodName }: Learner,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (feedback.learnStrict === true) throw error;
    scope
      .atNext("learning")
      .emit("human_feedback_learning_failed", { methodName, error: errorMessage(error) });
    return undefined;
  }
}

async function ask(
  scope: RunScope,
  { feedback }: Learner,
  { prompt, schema }: { readonly prompt: string; readonly schema: JsonObject },
): Promise<string> {
  const model = scope.model(feedback.llm);
  const decides = "learn from feedback";
  const caller = { model, budget: {}, meter: new UsageMeter(), decides };
  const transcript = new Transcript([{ role: "user", content: prompt }]);
  const request = { messages: transcript.messages, ...shapeRequest(model, schema) };
  const response = await callModel(scope, caller, {
    request,
    inputHash: transcript.hash,
    purpose: "memory",
  });
  return answerByTool(response) ?? response.text;
}

/** The improved result: a text stays one, and anything else is JSON again, or as it was. */
function improved(text: string, output: JsonValue): JsonValue {
  const parsed = parsedJson(text);
  const field = isJsonObject(parsed) ? parsed["improved_output"] : undefined;
  const better = typeof field === "string" ? field : text;
  if (better.trim() === "") return output;
  if (typeof output === "string") return better;
  return parsedJson(better) ?? output;
}

/** Lessons as JSON, or one in a line. */
function lessonsIn(text: string): readonly string[] {
  const parsed = parsedJson(text);
  const list = isJsonObject(parsed) ? parsed["lessons"] : parsed;
  const lines = Array.isArray(list)
    ? (list as readonly JsonValue[]).filter((each) => typeof each === "string")
    : parsed === undefined
      ? text.split("\n")
      : [];
  return lines
    .map((line) => line.trim().replace(/^- /, "").trim())
    .filter((line) => line !== "" && line !== "NONE")
    .slice(0, MAX_LESSONS);
}

function shown(output: JsonValue): string {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  return text.slice(0, MAX_SHOWN);
}
