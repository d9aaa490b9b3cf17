// An answer from outside, checked before it settles its wait.
import { EngineError } from "../base/error.ts";
import { fingerprint } from "../base/hash.ts";
import { preview } from "../base/json.ts";
import { toJson } from "../base/recorded.ts";
import type { Answer } from "../journal/step-spec.ts";
import { pickWait } from "./picked-wait.ts";
import { answerOf, type ResumeRequest } from "./resume.ts";
import type { RunStore } from "./run-store.ts";
import { isTerminal, type RunRecord } from "./run.ts";
import { checkOnly, isRepeatedAnswer } from "./settled-question.ts";

/** An answer for an open wait. */
export type TakenAnswer = {
  readonly key: string;
  readonly answer: Answer;
  /** Record of an answer with an id, to store with it. */
  readonly note?: { readonly name: string; readonly json: string };
};

/**
 * Returns the answer of a request; undefined for a repeated one. Throws `conflict` without its open wait, and
 * `invalid_input` if it does not fit.
 */
export function takenAnswer(
  store: RunStore,
  { id: runId, status }: RunRecord,
  request: ResumeRequest,
): TakenAnswer | undefined {
  const name = request.id === undefined ? undefined : answerName(request.id);
  const known = name && store.value(name);
  if (known && isRepeated(JSON.parse(known) as NamedAnswer, request)) return undefined;
  if (isRepeatedAnswer(store, runId, request)) return undefined;
  if (isTerminal(status))
    throw new EngineError("conflict", `run ${runId} is ${status} and has no open wait`);
  const wait = pickWait(store.journal.waits(), request, runId);
  if (request.key === undefined) checkOnly(store, wait, request.person);
  const answer = { value: toJson(answerOf(wait, request), "the answer") };
  if (name === undefined) return { key: wait.key, answer };
  const named: NamedAnswer = { key: wait.key, print: answerPrint(request) };
  return { key: wait.key, answer, note: { name, json: JSON.stringify(named) } };
}

/** Stored record of an answer with an id. */
type NamedAnswer = { readonly key: string; readonly print: string };

/** Returns the name of the stored record for an answer's id. */
function answerName(id: string): string {
  return `answer:${id}`;
}

/** Returns the fingerprint of an answer's contents. */
function answerPrint({ feedback, value, approve, by }: ResumeRequest): string {
  return fingerprint(JSON.stringify([feedback, value, approve, by]));
}

/** True if this answer has been taken before. Throws `conflict` if its id was used for another answer. */
function isRepeated(taken: NamedAnswer | undefined, request: ResumeRequest): boolean {
  if (taken === undefined) return false;
  const isSameWait = request.key === undefined || request.key === taken.key;
  if (isSameWait && taken.print === answerPrint(request)) return true;
  throw new EngineError(
    "conflict",
    `the id ${preview(request.id)} was used for another answer, to ${taken.key}: give each answer an id of its own`,
  );
}
