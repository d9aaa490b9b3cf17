import type { RunScope } from "../events/run-scope.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";

/** The model of somebody who works in a run: the one that the start of the run names for all of them, else their own. */
export function workerModel(scope: RunScope, own: ModelSpec | undefined): LanguageModel {
  return scope.model(scope.services.overrides?.llm ?? own);
}
