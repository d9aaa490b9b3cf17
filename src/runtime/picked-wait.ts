import { EngineError } from "../base/error.ts";
import type { StepSummary } from "../journal/journal-store.ts";
import type { Question, ResumeRequest } from "./resume.ts";

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
