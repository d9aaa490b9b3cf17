import type { EngineError } from "../../base/error.ts";
import { apiFailure, type FailedCall } from "../api-error.ts";
import { fieldsOf } from "../wire.ts";
import { saidIn } from "./said-in.ts";

/** Converts a thrown error, except for an abort, to an engine error. */
export function toEngineError(error: unknown, about: FailedCall): EngineError {
  return apiFailure(error, about, (thrown) => {
    const { status, ...said } = saidIn(fieldsOf(thrown.error));
    return {
      ...said,
      status: thrown.status ?? status,
      message: said.message || thrown.message,
      body: thrown.error,
    };
  });
}
