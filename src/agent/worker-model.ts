import type { RunScope } from "../events/run-scope.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";

/** Returns the model of a worker in a run: the run's override for all workers, else the worker's own model. */
export function workerModel(scope: RunScope, own: ModelSpec | undefined): LanguageModel {
  return scope.model(scope.services.overrides?.llm ?? own);
}
