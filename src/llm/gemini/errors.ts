import type { EngineError } from "../../base/error.ts";
import { apiFailure, type FailedCall } from "../api-error.ts";
import { fieldsOf, listOf, textOf, type Fields } from "../wire.ts";

/** Converts a thrown error, except for an abort, to an engine error. */
export function toEngineError(error: unknown, about: FailedCall): EngineError {
  return apiFailure(error, about, (thrown) => {
    const body = fieldsOf(thrown.error);
    const message = textOf(body["message"]) || thrown.message;
    return { providerCode: codeOf(body), body, message };
  });
}

/** Returns the name of a status, such as `UNAVAILABLE`, or a code from the details. */
function codeOf(body: Fields): string {
  const details = listOf(body["details"]).map(fieldsOf);
  // A short wait does not help, even if `RetryInfo` names one.
  const isSpent = details
    .flatMap(({ violations }) => listOf(violations))
    .some((violation) => /PerDay/.test(textOf(fieldsOf(violation)["quotaId"])));
  if (isSpent) return "insufficient_quota";
  const isKey = details.some(({ reason }) => reason === "API_KEY_INVALID");
  return isKey ? "api_key_invalid" : textOf(body["status"]);
}
