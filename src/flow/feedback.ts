// Review of a method's output by a person, whose decision directs the flow.
//
//   FB1. The method's own work ends before the question: it is not repeated after the answer.
//   FB2. Without `emit` the person's feedback is the method's result; for a router its own result is the label, and
//        listeners of the label get the feedback. With `emit`, the feedback becomes one of those labels, and the method
//        is a router for it.
//   FB3. A label named by the person needs no model. Other words go to a model; an empty answer is the default.
//   FB4. If no model decides, the person is asked again, with the labels as choices. Their words appear beside the
//        question, and in the feedback. The question expires only if there is a `defaultOutcome`. With `compat:
//        "crewai"` the method fails.
import { cut } from "../base/cut.ts";
import type { Prompts } from "../agent/prompts/prompts.ts";
import { isoTime } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import { judgedOutcome, labelNamed } from "./feedback-outcome.ts";
import { learnFrom, reviewedOutput, type LearningFeedback } from "./feedback-lessons.ts";

/** Settings of a person's review of a method's output. */
export type FeedbackDefinition = LearningFeedback & {
  /** The person reads this along with the method's output. */
  readonly message: string;
  /** Labels the feedback can become. */
  readonly emit?: readonly string[];
  /** Model for the choice of the label. @default the environment's */
  readonly llm?: ModelSpec;
  /** Label for empty or late feedback. One of `emit`. @default the first */
  readonly defaultOutcome?: string;
  /** Stored with the feedback. */
  readonly metadata?: JsonObject;
  /** Time limit for the person's answer; after it the feedback counts as empty. An integer >= 1. @default no limit */
  readonly expiresInSeconds?: number;
};

/** A person's answer about a method's output. */
export type HumanFeedbackResult = {
  /** The method's output. */
  readonly output: JsonValue;
  /** Empty without feedback. */
  readonly feedback: string;
  /** Label of the feedback; null without `emit`. */
  readonly outcome: string | null;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly methodName: string;
  readonly metadata: JsonObject;
  /** Answering person, if named. */
  readonly by?: string;
};

const FIELDS: ReadonlySet<string> = new Set<keyof FeedbackDefinition>([
  "message",
  "emit",
  "llm",
  "defaultOutcome",
  "metadata",
  "expiresInSeconds",
  "learn",
  "learnSource",
  "learnStrict",
]);

/** Throws `invalid_definition` for an invalid definition. */
export function checkFeedback(definition: FeedbackDefinition, where: string): void {
  const { message, emit, llm, defaultOutcome, expiresInSeconds, learnSource } = definition;
  const invalid = (rule: string, value: unknown): EngineError =>
    new EngineError("invalid_definition", `${where}: humanFeedback.${rule}, got ${preview(value)}`);
  const unknown = Object.keys(definition).filter((field) => !FIELDS.has(field));
  if (unknown.length > 0) {
    const instead = unknown.includes("provider")
      ? "; a person answers through POST /runs/:id/resume, and code with run.resume() when it sees the wait, so there is no provider"
      : "";
    throw new EngineError(
      "invalid_definition",
      `${where}: humanFeedback has no ${unknown.map((field) => preview(field)).join(", ")}, its fields are ${[...FIELDS].join(", ")}${instead}`,
    );
  }
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
  /** See `FlowConfig.compat`. */
  readonly compat: boolean;
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
  const answer = await inner.wait<PersonsAnswer>({
    kind: "human",
    prompt: promptOf(output, message),
    ...(emit === undefined ? undefined : { choices: emit, freeText: true }),
    ...(expiresInSeconds === undefined
      ? undefined
      : { dueAtMs: scope.at("asked").now() + expiresInSeconds * 1000, otherwise: {} }),
  });
  const answeredAtMs = scope.at("answered").now();
  const said = wordsOf(answer);
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

type PersonsAnswer = {
  readonly feedback?: string;
  readonly value?: JsonValue;
  readonly approve?: boolean;
  readonly by?: string;
};

/** Reads an answer in another form than words as text too: only an empty one counts as no feedback. */
function wordsOf({ feedback, value, approve }: PersonsAnswer): string {
  if (typeof value === "string") return value;
  if (feedback !== undefined) return feedback;
  if (value !== undefined && value !== null) return JSON.stringify(value);
  return approve === undefined ? "" : approve ? "approve" : "reject";
}

/** Maximum length of a result shown to the person; the event has the whole result. */
const MAX_SHOWN = 16_384;

/** Returns the question with the result, because an inbox or a webhook shows only the question. */
function promptOf(output: JsonValue, message: string): string {
  const text = isJsonObject(output) && typeof output["raw"] === "string" ? output["raw"] : output;
  const shown = typeof text === "string" ? text : JSON.stringify(text, null, 2);
  return output === null || shown.trim() === ""
    ? message
    : `${cut(shown, MAX_SHOWN)}\n\n---\n${message}`;
}

/** FB3, FB4 */
async function outcomeOf(
  place: RunScope,
  said: string,
  request: FeedbackRequest & { readonly emit: readonly string[] },
): Promise<string> {
  const { feedback, emit, compat } = request;
  if (said === "") return feedback.defaultOutcome ?? emit[0] ?? "";
  const judged = (): Promise<string | undefined> =>
    judgedOutcome(place, { ...request, said, labels: emit, llm: feedback.llm, compat });
  return labelNamed(said, emit) ?? (await judged()) ?? chosen(place, said, request);
}

/** Asks the person once more, for one of the labels. */
async function chosen(
  scope: RunScope,
  said: string,
  { feedback, emit, methodName, output }: FeedbackRequest & { readonly emit: readonly string[] },
): Promise<string> {
  const { message, expiresInSeconds, defaultOutcome } = feedback;
  const place = scope.at("choice");
  const question = `${message}\n\nYou said: ${cut(said, MAX_SHOWN)}\nNo model could tell which of these you mean. Please choose one: ${emit.join(", ")}`;
  const requestId = place.path;
  const inner = place.open("human_feedback_requested", {
    methodName,
    message: question,
    output,
    requestId,
  });
  return inner.wait<string>({
    kind: "human",
    prompt: promptOf(output, question),
    choices: emit,
    // Without a default the wait has no time limit, so the feedback cannot end as an unchosen label.
    ...(expiresInSeconds === undefined || defaultOutcome === undefined
      ? undefined
      : {
          dueAtMs: place.at("asked").now() + expiresInSeconds * 1000,
          otherwise: defaultOutcome,
        }),
  });
}
