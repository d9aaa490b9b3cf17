import type { EngineError } from "../../base/error.ts";
import { apiFailure, type FailedCall } from "../api-error.ts";
import { fieldsOf, textOf } from "../wire.ts";

/** Converts a thrown error, except for an abort, to an engine error. */
export function toEngineError(error: unknown, about: FailedCall): EngineError {
  return apiFailure(error, about, (thrown) => {
    const body = fieldsOf(thrown.error);
    const inner = fieldsOf(body["error"]);
    return {
      providerCode: textOf(inner["type"]) || textOf(body["type"]),
      message: textOf(inner["message"]) || textOf(body["message"]) || thrown.message,
    };
  });
}
