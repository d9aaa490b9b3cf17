// The error of a failed run, as an answer of either API.
//
//   OF1. The answer to a failed run discourages retries: the run has already retried, and another one would repeat all
//        of its work. A permanent failure is not a server error, because clients retry server errors automatically.
import type { EngineError } from "../../base/error.ts";
import { failedRunStatus, NO_RETRY } from "../../parts/code-answers.ts";
import { HttpError } from "../../parts/problem.ts";
import type { Outcome } from "./outcome.ts";

/** Returns the error at the end of a turn; undefined for a successful or open turn. */
export function failureOf({
  status,
  error,
}: Pick<Outcome, "status" | "error">): EngineError | undefined {
  if (status === "cancelled")
    return new HttpError("run_cancelled", "the run was cancelled", {
      status: 409,
      headers: NO_RETRY,
    });
  if (status !== "failed") return undefined;
  const failed = error ?? { code: "internal", message: "the run failed", retryable: false };
  const { code, message, retryable } = failed;
  return new HttpError(code, message, {
    retryable,
    status: failedRunStatus(failed),
    headers: NO_RETRY,
  });
}
