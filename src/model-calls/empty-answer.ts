import { EngineError } from "../base/error.ts";

const EMPTY = "empty_answer";

/** The failure of a model that answered with no text and no call. It can be tried again. */
export function emptyAnswer(
  modelId: string,
  about: { readonly what: string; readonly finishReason: string },
): EngineError {
  const message = `${modelId} gave ${about.what} (finish reason: ${about.finishReason})`;
  return new EngineError("model_failed", message, { retryable: true, failureCode: EMPTY });
}

/** Whether a model call failed since the model gave nothing, each time that it was asked. */
export function isEmptyAnswer(error: unknown): error is EngineError {
  return EngineError.is(error) && error.code === "model_failed" && error.failureCode === EMPTY;
}
