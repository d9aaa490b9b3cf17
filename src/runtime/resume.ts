import { EngineError } from "../base/error.ts";
import { jsonText, preview, type JsonValue } from "../base/json.ts";
import { validateJsonSchema } from "../base/json-schema.ts";
import type { StepSummary, WaitRequest } from "../journal/journal-store.ts";

/** An answer to an open wait. */
export type ResumeRequest = {
  /** The wait's key. May be left out for the run's only question so far (SQ3); in this process, for the only open one. */
  readonly key?: string;
  /** Asked participant of a conversation: the answer is for a question to it. */
  readonly person?: string;
  /** Text of the person. */
  readonly feedback?: string;
  /** The answer as data, for waits with a schema. */
  readonly value?: JsonValue;
  readonly approve?: boolean;
  /** Name of the answering person, from the caller. Stored with the answer. */
  readonly by?: string;
  /** Id of this answer: repeating it has no effect, and is no error. */
  readonly id?: string;
};

/** A wait for an answer from outside. */
export type Question = Pick<StepSummary, "key"> & { readonly wait: WaitRequest };

/**
 * Returns the answer for the waiting code. A wait with a schema gets `value` (a declinable one `{ approve, value? }`),
 * one with choices the choice; else a person's wait gets the present fields of `{ feedback, approve, value }`, and any
 * other wait `value`, or the feedback text.
 */
export function answerOf({ wait, key }: Question, request: ResumeRequest): JsonValue {
  const { value, feedback, approve, by } = request;
  if (wait.schema !== undefined) {
    if (wait.declinable === true && approve === false) return { approve };
    if (value === undefined)
      throw invalid(key, "value", "a value that fits the wait's schema, got none");
    const issues = validateJsonSchema(wait.schema, value);
    if (issues.length > 0) {
      const prefixed = issues.map((issue) => ({
        path: `/value${issue.path}`,
        message: issue.message,
      }));
      throw new EngineError("invalid_input", `the answer to ${key} does not fit its schema`, {
        issues: prefixed,
      });
    }
    return wait.declinable === true ? { approve: true, value } : value;
  }
  if (wait.choices !== undefined && wait.freeText !== true) {
    const choice = value ?? feedback;
    if (typeof choice === "string" && wait.choices.includes(choice)) return choice;
    throw invalid(
      key,
      "value",
      `one of ${wait.choices.map((each) => JSON.stringify(each)).join(", ")}, got ${preview(choice ?? "nothing")}`,
    );
  }
  if (value === undefined && feedback === undefined && approve === undefined) {
    throw invalid(key, "feedback", "feedback, value or approve, got none");
  }
  if (wait.needsFeedback === true && jsonText(feedback ?? value ?? "").trim() === "")
    throw invalid(key, "feedback", "feedback in words, got none");
  const takesWords = wait.freeText === true && wait.choices === undefined;
  if (takesWords && feedback === undefined && value === undefined)
    throw invalid(key, "feedback", "words in feedback, which may be empty, got approval alone");
  if (wait.kind !== "human") return value ?? feedback ?? approve ?? null;
  return {
    ...(feedback === undefined ? undefined : { feedback }),
    ...(approve === undefined ? undefined : { approve }),
    ...(value === undefined ? undefined : { value }),
    ...(by === undefined ? undefined : { by }),
  };
}

function invalid(key: string, field: string, expected: string): EngineError {
  const message = `the answer to ${key} must have ${expected}`;
  return new EngineError("invalid_input", message, {
    issues: [{ path: `/${field}`, message: `expected ${expected}` }],
  });
}
