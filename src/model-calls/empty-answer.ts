// Answers of nothing: no text and no call.
//
//   EA1. A model that answers with nothing is asked once more, in a call of its own, and is told so.
//   EA2. Nothing again fails with `answer_empty`, which is not tried again: a third request would be the second one. In conversations it
//        is a turn that says nothing.
import { EngineError } from "../base/error.ts";
import type { ModelRequest, ModelResponse } from "../llm/language-model.ts";
import { withoutThoughts } from "./thoughts.ts";

const ASKED_AGAIN = "Your last answer was empty. Please give your answer now.";

/** Records of earlier versions name it so, as a `model_failed`. */
const EMPTY = "empty_answer";

/** Whether an answer holds nothing that anybody could use. Thoughts are none. */
export function isEmpty({ text, toolCalls, images }: ModelResponse): boolean {
  return toolCalls.length === 0 && images === undefined && withoutThoughts(text).trim() === "";
}

/** The request once more, with the word that its answer was empty. */
export function askedAgain(request: ModelRequest): ModelRequest {
  return { ...request, messages: [...request.messages, { role: "user", content: ASKED_AGAIN }] };
}

/** The failure of a model that answered with nothing twice. */
export function emptyAnswer(modelId: string, { finishReason }: ModelResponse): EngineError {
  const message = `${modelId} gave an empty answer twice (finish reason: ${finishReason})`;
  return new EngineError("answer_empty", message);
}

/** Whether a model call failed since the model gave nothing, each time that it was asked. */
export function isEmptyAnswer(error: unknown): error is EngineError {
  if (!EngineError.is(error)) return false;
  const { code, failureCode } = error;
  return code === "answer_empty" || (code === "model_failed" && failureCode === EMPTY);
}

/** The failure of an answer that its limit leaves no place for. */
export function answerCutOff(modelId: string, what: string): EngineError {
  const message = `${modelId}: ${what}; raise maxTokens in the model's settings, or ask for less`;
  return new EngineError("answer_cut_off", message);
}
