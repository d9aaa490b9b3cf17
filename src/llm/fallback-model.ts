import { EngineError } from "../base/error.ts";
import type { CallOptions, LanguageModel, ModelRequest, ModelResponse } from "./language-model.ts";

/**
 * A chain of models: each call goes to the first model, and to the next one if a model fails.
 *
 *   - `model_*` and `timeout` errors move on, whether retryable or not: a model without a key, or one that rejects
 *     the request, must not hold up the chain.
 *   - `context_window_exceeded` moves on only to models whose window is larger; the others would say the same.
 *   - An abort, and anything that is not one of these errors, ends the call.
 *
 * An image moves on until a model sees it.
 *
 * When all have failed, the error lists every reason. It is retryable if one of them was, under that one's code, so
 * that the next attempt starts the chain again. Before the next model is asked, `onRestart` voids what the one that
 * failed has streamed.
 */
export function fallbackModel(models: readonly LanguageModel[]): LanguageModel {
  const [first, ...others] = models;
  if (first === undefined) {
    throw new EngineError(
      "invalid_definition",
      "a fallback chain needs at least one model, got none",
    );
  }
  if (others.length === 0) return first;
  return {
    id: first.id,
    capabilities: {
      tools: models.every(({ capabilities }) => capabilities.tools),
      responseSchema: models.every(({ capabilities }) => capabilities.responseSchema),
      stop: models.every(({ capabilities }) => capabilities.stop),
      judges: models.every(({ capabilities }) => capabilities.judges !== false),
      vision: models.some(({ capabilities }) => capabilities.vision),
    },
    contextWindow: Math.min(...models.map(({ contextWindow }) => contextWindow)),
    missingKey: models.every(({ missingKey }) => missingKey !== undefined)
      ? first.missingKey
      : undefined,
    generate: (request, options) => generateWithFirst(models, request, options),
  };
}

async function generateWithFirst(
  models: readonly LanguageModel[],
  request: ModelRequest,
  options: CallOptions,
): Promise<ModelResponse> {
  const failures: EngineError[] = [];
  let windowNeeded = 0;
  for (const model of models) {
    if (model.contextWindow <= windowNeeded) continue;
    if (failures.length > 0) options.onRestart?.();
    try {
      return await model.generate(request, options);
    } catch (error) {
      options.signal.throwIfAborted();
      if (!EngineError.is(error) || !movesOn(error)) throw error;
      if (error.code === "context_window_exceeded") windowNeeded = model.contextWindow;
      failures.push(error);
    }
  }
  throw summary(failures);
}

function movesOn({ code }: EngineError): boolean {
  return code.startsWith("model_") || code === "timeout" || code === "context_window_exceeded";
}

function summary(failures: readonly EngineError[]): EngineError {
  const decisive =
    failures.find(({ retryable }) => retryable) ??
    failures.find(({ code }) => code === "context_window_exceeded") ??
    failures[0];
  if (decisive === undefined || failures.length === 1) {
    return decisive ?? new EngineError("internal", "a fallback chain failed without an error");
  }
  const reasons = failures.map(({ message }) => message).join("; ");
  return new EngineError(decisive.code, `all models of the chain failed: ${reasons}`, {
    retryable: decisive.retryable,
    retryAfterMs: decisive.retryAfterMs,
    cause: decisive,
  });
}
