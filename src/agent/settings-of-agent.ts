import { honouredBy, type AnswerSetting } from "../llm/answer-settings.ts";
import type { ModelCatalog } from "../llm/model-catalog.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { AgentDescription } from "./description/agent-description.ts";

/** Returns the settings callers of an agent may set (WI3), with this model. */
export function settingsOf(
  { adapter, planningConfig }: Pick<AgentDescription, "adapter" | "planningConfig">,
  llm: ModelSpec | undefined,
  models: ModelCatalog,
): readonly AnswerSetting[] {
  if (adapter !== undefined || planningConfig !== undefined) return [];
  try {
    return honouredBy(models(llm));
  } catch {
    // A model that cannot be created fails the run later, with its error.
    return [];
  }
}
