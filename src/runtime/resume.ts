import { EngineError } from "../base/error.ts";
import { fingerprint } from "../base/hash.ts";
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

/** Stored record of an answer with an id. */
export type NamedAnswer = { readonly key: string; readonly print: string };

/** Returns the name of the stored record for an answer's id. */
export function answerName(id: string): string {
  return `answer:${id}`;
}

/** Returns the fingerprint of an answer's contents. */
export function answerPrint({ feedback, value, approve, by }: ResumeRequest): string {
  return fingerprint(JSON.stringify([feedback, value, approve, by]));
}

/** True if this answer has been taken before. Throws `conflict` if its id was used for another answer. */
export function isRepeated(taken: NamedAnswer | undefined, request: ResumeRequest): boolean {
  if (taken === undefined) return false;
  const isSameWait = request.key === undefined || request.key === taken.key;
  if (isSameWait && taken.print === answerPrint(request)) return true;
  throw new EngineError(
    "conflict",
    `the id ${preview(request.id)} was used for another answer, to ${taken.key}: give each answer an id of its own`,
  );
}

/** A wait for an answer from outside. */
export type Question = Pick<StepSummary, "key"> & { readonly wait: WaitRequest };

/**
 * True for a question to this participant, or without one for any question. A question about a tool call is for the
 * approver of the call.
 */
export function isFor({ wait }: Pick<StepSummary, "wait">, person: string | undefined): boolean {
  if (person === undefined) return true;
  const { agent, tool } = wait?.data ?? {};
  return wait?.kind === "human" && agent === person && tool === undefined;
}

/**
 * Returns the wait for an answer: only waits for people and outside input; timers and children settle by themselves.
 */
export function pickWait(
  rows: readonly StepSummary[],
  { key, person }: Pick<ResumeRequest, "key" | "person">,
  runId: string,
): Question {
  const open = rows.filter(
    (row): row is StepSummary & Question =>
      row.wait !== null &&
      (row.wait.kind === "human" || row.wait.kind === "input") &&
      isFor(row, person),
  );
  const keys = open.map((row) => row.key).join(", ");
  if (key !== undefined) {
    const wait = open.find((row) => row.key === key);
    if (wait === undefined)
      throw new EngineError(
        "conflict",
        `run ${runId} has no open wait ${key}; open: ${keys || "none"}`,
      );
    return wait;
  }
  const [only, another] = open;
  if (only === undefined)
    throw new EngineError("conflict", `run ${runId} is not waiting for an answer`);
  if (another !== undefined)
    throw new EngineError(
      "conflict",
      `run ${runId} is waiting for ${open.length} answers; set key to one of: ${keys}`,
    );
  return only;
}

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
