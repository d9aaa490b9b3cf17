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

/** The failure of an answer that its limit leaves no place for. */
export function answerCutOff(modelId: string, what: string): EngineError {
  const message = `${modelId}: ${what}; raise maxTokens in the model's settings, or ask for less`;
  return new EngineError("answer_cut_off", message);
}
