// Empty answers: no text and no call.
//
//   EA1. A model with an empty answer is asked once more, in a call of its own, with a note about the empty answer.
//   EA2. A second empty answer fails with `answer_empty`, which is not retried: a third request would equal the second.
//        In conversations it is a turn without a message.
import { EngineError } from "../base/error.ts";
import type { ModelRequest, ModelResponse } from "../llm/language-model.ts";
import { withoutThoughts } from "./thoughts.ts";

const ASKED_AGAIN = "Your last answer was empty. Please give your answer now.";

/** Records of earlier versions name it so, as a `model_failed`. */
const EMPTY = "empty_answer";

/** True for an answer without usable content. Thoughts do not count. */
export function isEmpty({ text, toolCalls, images }: ModelResponse): boolean {
  return toolCalls.length === 0 && images === undefined && withoutThoughts(text).trim() === "";
}

/** Returns the request with a note about its empty answer. */
export function askedAgain(request: ModelRequest): ModelRequest {
  return { ...request, messages: [...request.messages, { role: "user", content: ASKED_AGAIN }] };
}

/** The failure of a model with two empty answers. */
export function emptyAnswer(modelId: string, { finishReason }: ModelResponse): EngineError {
  const message = `${modelId} gave an empty answer twice (finish reason: ${finishReason})`;
  return new EngineError("answer_empty", message);
}

/** True if a model call failed because each answer was empty. */
export function isEmptyAnswer(error: unknown): error is EngineError {
  if (!EngineError.is(error)) return false;
  const { code, failureCode } = error;
  return code === "answer_empty" || (code === "model_failed" && failureCode === EMPTY);
}

/** The failure of an answer that does not fit within its length limit. */
export function answerCutOff(modelId: string, what: string): EngineError {
  const message = `${modelId}: ${what}; raise maxTokens in the model's settings, or ask for less`;
  return new EngineError("answer_cut_off", message);
}
