// Conditions on a model call, checked before its request is sent.
import { EngineError } from "../base/error.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ModelRequest } from "../llm/language-model.ts";
import { checkJudges } from "./judgement.ts";
import type { Budget, ModelCaller } from "./model-caller.ts";

/** Maximum length of all messages of one request, in UTF-16 units: more than the largest context windows. */
const MAX_REQUEST_LENGTH = 8 * 1024 * 1024;

/**
 * Throws `budget_exceeded` without money or tokens left, `value_too_large` for a request too long for any model, and
 * `timeout` after the caller's deadline. A model unable to judge is refused by `checkJudges`.
 */
export function checkCall(scope: RunScope, caller: ModelCaller, request: ModelRequest): void {
  const { model, decides, budget, deadlineAtMs } = caller;
  if (decides !== undefined) checkJudges(model, decides);
  checkBudget(scope, budget);
  checkBudget(scope, scope.services.budget ?? {});
  checkLength(model.id, request);
  if (deadlineAtMs !== undefined && scope.clock.now() >= deadlineAtMs)
    throw new EngineError("timeout", "no time is left for another model call");
}

function checkBudget(scope: RunScope, { maxCostUsd, maxTokens }: Budget): void {
  const { costUsd, totalTokens } = scope.usage;
  if (maxCostUsd !== undefined && costUsd >= maxCostUsd) {
    throw new EngineError(
      "budget_exceeded",
      `the run has spent ${costUsd} of at most ${maxCostUsd} US dollars; no further model call is made`,
    );
  }
  if (maxTokens !== undefined && totalTokens >= maxTokens) {
    throw new EngineError(
      "budget_exceeded",
      `the run has used ${totalTokens} of at most ${maxTokens} tokens; no further model call is made`,
    );
  }
}

/** Throws `value_too_large` before more text is sent than any model reads. Images and files are not counted. */
function checkLength(modelId: string, { messages }: ModelRequest): void {
  let length = 0;
  for (const message of messages) {
    const { content } = message;
    if (typeof content === "string") length += content.length;
    else for (const part of content) if (part.type === "text") length += part.text.length;
  }
  if (length > MAX_REQUEST_LENGTH)
    throw new EngineError(
      "value_too_large",
      `a request to ${modelId} may have ${MAX_REQUEST_LENGTH} characters of text, got ${length}`,
    );
}
