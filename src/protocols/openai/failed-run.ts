// The error of a run that failed, as an answer of either API.
//
//   OF1. The answer to a failed run asks for no repetition: the run has tried what could be tried, and another one would do all of its
//        work again. What cannot get better is no fault of the server, which clients repeat without being asked.
import type { EngineError } from "../../base/error.ts";
import { failedRunStatus, NO_RETRY } from "../../parts/code-answers.ts";
import { HttpError } from "../../parts/problem.ts";
import type { Outcome } from "./outcome.ts";

/** The error that a turn ended with; undefined for one that ended well or goes on. */
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
