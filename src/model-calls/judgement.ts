// Decisions only a language model can make: scores, labels, lessons, plans, search queries.
//
//   JG1. A model that cannot decide (`capabilities.judges` is false) is never asked for a decision. Work with an
//        alternative uses it; any other fails with `model_rejected`, with advice.
import { EngineError } from "../base/error.ts";
import type { LanguageModel } from "../llm/language-model.ts";

/** True if a model can be asked for a decision. */
export function judges({ capabilities }: LanguageModel): boolean {
  return capabilities.judges !== false;
}

/** Throws `model_rejected` for a model that cannot be asked for a decision. `decision` ends the sentence "… cannot". */
export function checkJudges(model: LanguageModel, decision: string): void {
  if (judges(model)) return;
  throw new EngineError(
    "model_rejected",
    `${model.id} cannot ${decision}: it is not a language model, it only rearranges its input. Name a real model: ` +
      `\`llm\` or \`evalModel\` where one is taken, or MODEL with the provider's key for the whole deployment.`,
  );
}
