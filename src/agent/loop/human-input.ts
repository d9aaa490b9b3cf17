// A person reviews an agent's answer before it counts.
//
//   HI1. The question is a durable wait at `human:<round>`. Its time does not count for the agent's `maxExecutionTime`.
//   HI2. Feedback without approval goes into the same conversation as the person's words. The agent answers again with
//        a full number of turns. There is no limit on the rounds.
//   HI3. Blank feedback, or approval, ends the review. Feedback with an approval is kept for the later use of the
//        answer.
import { cut } from "../../base/cut.ts";
import { EngineError } from "../../base/error.ts";
import { jsonText, preview, type JsonObject } from "../../base/json.ts";
import type { AgentIdentity } from "../agent-work.ts";
import type { AnswerReview, ReviewedAnswer } from "./answer-review.ts";
import { fill, type Prompts } from "../prompts/prompts.ts";

/** Settings of a person's review of a task's answer. */
export type HumanInputOptions = {
  /** Time limit for the person's reply, in seconds. An integer >= 1. @default no limit */
  readonly expiresInSeconds?: number;
  /** Effect on an answer without feedback after the time limit; "fail" fails with `wait_expired`. @default "fail" */
  readonly whenExpired?: "approve" | "fail";
};

/** Throws `invalid_definition` for an invalid `humanInput`; returns undefined for false. */
export function checkHumanInput(
  input: boolean | HumanInputOptions | undefined,
  owner: string,
): HumanInputOptions | undefined {
  if (input === undefined || input === false) return undefined;
  if (input === true) return {};
  const { expiresInSeconds, whenExpired }: HumanInputOptions = input;
  if (
    expiresInSeconds !== undefined &&
    !(Number.isInteger(expiresInSeconds) && expiresInSeconds >= 1)
  )
    throw invalid("expiresInSeconds must be an integer >= 1", expiresInSeconds);
  if (whenExpired !== undefined && whenExpired !== "approve" && whenExpired !== "fail")
    throw invalid('whenExpired must be "approve" or "fail"', whenExpired);
  return input;

  function invalid(what: string, value: unknown): EngineError {
    return new EngineError(
      "invalid_definition",
      `${owner}: humanInput.${what}, got ${preview(value)}`,
    );
  }
}

/** Answer under review and callbacks. */
export type HumanReviewOptions = {
  readonly identity: AgentIdentity;
  readonly taskName?: string;
  readonly prompts: Prompts;
  readonly settings: HumanInputOptions;
  /** Receives the person's feedback with an approval. */
  readonly approved?: (feedback: string) => void;
  /** Receives the duration of the wait for a person; if absent, the time is not measured. */
  readonly waited?: ((durationMs: number) => void) | undefined;
};

/** Has a person read each answer until they are content. */
export function humanReview(options: HumanReviewOptions): AnswerReview {
  return async (reviewed) => {
    const { gettingInput, feedbackInstructions } = options.prompts.slices;
    const asked = { question: gettingInput, message: feedbackInstructions };
    const { approved, feedback } = await askPerson(reviewed, asked, options);
    if (!approved) return feedbackMessage(feedback, options);
    if (feedback !== "") options.approved?.(feedback);
    return undefined;
  };
}

/** Training record of one answer. */
export type TrainedAnswer = {
  readonly initialOutput: string;
  readonly humanFeedback: string;
  readonly improvedOutput: string;
};

/**
 * Review for training: one question, then one more answer. `report` receives both answers and the person's feedback on
 * the first. A new answer for a guardrail is reported too, without another question.
 */
export function trainingReview(
  options: HumanReviewOptions,
  report: (trained: TrainedAnswer) => void,
): AnswerReview {
  let first: { readonly answer: string; readonly feedback: string } | undefined;
  return async (reviewed) => {
    const { answer } = reviewed;
    if (first === undefined) {
      const { question, instructions } = options.prompts.training;
      const asked = { question, message: instructions, needsFeedback: true };
      const { feedback } = await askPerson(reviewed, asked, options);
      first = { answer, feedback };
      if (feedback !== "") return feedbackMessage(feedback, options);
    }
    report({
      initialOutput: first.answer,
      humanFeedback: first.feedback,
      improvedOutput: answer,
    });
    return undefined;
  };
}

/** Question to a person, with `{answer}` in it, and the possible replies, for clients with a form. */
type ReviewQuestion = {
  readonly question: string;
  readonly message: string;
  readonly needsFeedback?: boolean;
};

type PersonsAnswer = { readonly approved: boolean; readonly feedback: string };

/** Maximum length of an answer shown to a person; the journal has the whole answer. */
const MAX_SHOWN_TEXT = 16_384;

async function askPerson(
  { scope, answer, round }: ReviewedAnswer,
  { question, message, needsFeedback }: ReviewQuestion,
  { identity, taskName, settings, waited }: HumanReviewOptions,
): Promise<PersonsAnswer> {
  const place = scope.at(`human:${round}`);
  const { expiresInSeconds, whenExpired } = settings;
  const shown = cut(answer, MAX_SHOWN_TEXT);
  const prompt = fill(question, { answer: shown, final_answer: shown });
  const timed = waited !== undefined || expiresInSeconds !== undefined;
  const askedAtMs = timed ? scope.at(`asked:${round}`).now() : 0;
  const inner = place.open("human_feedback_requested", {
    agentRole: identity.role,
    ...(taskName === undefined ? undefined : { taskName }),
    message,
    output: shown,
    requestId: place.path,
  });
  const reply = await inner.wait<JsonObject>({
    kind: "human",
    prompt,
    subject: shown,
    ...(needsFeedback === undefined ? undefined : { needsFeedback }),
    ...(expiresInSeconds === undefined
      ? undefined
      : { dueAtMs: askedAtMs + expiresInSeconds * 1000 }),
    ...(whenExpired === "approve" ? { otherwise: { approve: true } } : undefined),
  });
  waited?.(scope.at(`answered:${round}`).now() - askedAtMs);
  const decision = personsAnswer(reply);
  place.emit("human_feedback_received", {
    feedback: decision.feedback,
    outcome: decision.approved ? "approved" : "changes_requested",
  });
  return decision;
}

/** `{ feedback?, approve?, value? }` as `resume` hands it over; a plain value counts as the feedback. */
function personsAnswer({ feedback, approve, value }: JsonObject): PersonsAnswer {
  const text = jsonText(feedback ?? (typeof value === "boolean" ? undefined : value)).trim();
  const decided = approve ?? (typeof value === "boolean" ? value : undefined);
  return { approved: decided === true || (text === "" && decided !== false), feedback: text };
}

function feedbackMessage(feedback: string, { prompts }: HumanReviewOptions): string {
  const { humanFeedback, humanRejection } = prompts.slices;
  return feedback === "" ? humanRejection : fill(humanFeedback, { human_feedback: feedback });
}
