// Answers to questions that are no longer open, and answers that name no question.
//
//   SQ1. The same answer to the same question again is a repetition: it has no effect, and is no error.
//   SQ2. Another answer to it is a conflict, which says how the question ended, and when.
//   SQ3. An answer without the question's key is for the only question so far. After an earlier one it is a conflict:
//        it may be late, or repeated. Questions copied by a fork are those of another run.
import { isoTime } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { canonicalJson, type JsonValue } from "../base/json.ts";
import { toJson } from "../base/recorded.ts";
import type { StepRecord, StepSummary, WaitRequest } from "../journal/journal-store.ts";
import { eventsAt } from "./event-places.ts";
import { adoptedSeq, isAdopted } from "./adopted-rows.ts";
import { isFor } from "./picked-wait.ts";
import { answerOf, type Question, type ResumeRequest } from "./resume.ts";
import type { RunStore } from "./run-store.ts";

const PAGE = 100;
/** Events of one place around the end of its wait. */
const NEAR = 20;

/**
 * True if the request repeats the answer of its question; false for an open or unknown question, and without a key.
 * Throws `conflict` if the question has ended in another way (SQ2).
 */
export function isRepeatedAnswer(store: RunStore, runId: string, request: ResumeRequest): boolean {
  const row = request.key === undefined ? undefined : store.journal.get(request.key);
  if (row === undefined || !isSettled(row) || !isFor(row, request.person)) return false;
  const how = endOf(store, row);
  const isSame = request.id === undefined && !how.expired && how.by === request.by;
  if (isSame && isSameAnswer(row, request)) return true;
  throw new EngineError(
    "conflict",
    `question ${row.key} of run ${runId} ${endText(row, how)}: this answer has no effect`,
  );
}

/** Throws `conflict` if the run has asked before, or has asked this person before (SQ3). */
export function checkOnly(store: RunStore, open: Question, person: string | undefined): void {
  const settled = latestSettled(store, person);
  if (settled === undefined) return;
  const by = person === undefined ? "the run" : JSON.stringify(person);
  const asked = person === undefined ? "has asked" : "was asked";
  throw new EngineError(
    "conflict",
    `${by} ${asked} before: question ${settled.key} ${endText(settled, endOf(store, settled))}. Name the question of this answer with key; open: ${open.key}`,
  );
}

type Settled = StepSummary & { readonly wait: WaitRequest; readonly endedAtMs: number };

function latestSettled(store: RunStore, person: string | undefined): Settled | undefined {
  const copiedUpTo = adoptedSeq(store);
  let after: number | undefined;
  for (;;) {
    const rows = store.journal.page({
      order: "desc",
      kinds: ["wait"],
      states: ["done", "error"],
      limit: PAGE,
      ...(after === undefined ? undefined : { after }),
    });
    for (const row of rows)
      if (isSettled(row) && !isAdopted(row, copiedUpTo) && isFor(row, person)) return row;
    after = rows.at(-1)?.startedSeq;
    if (rows.length < PAGE || after === undefined) return undefined;
  }
}

function isSettled<Row extends StepSummary | StepRecord>(row: Row): row is Row & Settled {
  const isQuestion = row.wait?.kind === "human" || row.wait?.kind === "input";
  const isOver = row.state === "done" || row.state === "error";
  return row.kind === "wait" && isQuestion && isOver && row.endedAtMs !== null;
}

type End = { readonly by?: string | undefined; readonly expired: boolean };

function endOf(store: RunStore, { key, endedAtMs, state }: Settled): End {
  for (const event of eventsAt(store.events, key, { fromMs: endedAtMs, most: NEAR }))
    if (event.type === "wait_settled" && event.key === key)
      return { by: event.by, expired: event.expired === true };
  return { expired: state === "error" };
}

function endText({ endedAtMs }: Settled, { by, expired }: End): string {
  const at = `at ${isoTime(endedAtMs)}`;
  if (expired) return `was withdrawn or expired ${at}`;
  return by === undefined ? `was answered ${at}` : `was answered by ${by} ${at}`;
}

function isSameAnswer(row: StepRecord & Settled, request: ResumeRequest): boolean {
  try {
    const answer = toJson(answerOf(row, request), "the answer");
    return canonicalJson(answer) === canonicalJson(JSON.parse(row.value ?? "null") as JsonValue);
  } catch (error) {
    if (EngineError.is(error) && error.code === "invalid_input") return false;
    throw error;
  }
}
