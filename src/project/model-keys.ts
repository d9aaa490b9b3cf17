import { unusableModels, modelsOf } from "../crew/definition/model-lacks.ts";
import type { CrewDefinition } from "../crew/definition/definition-schema.ts";
import { modelCatalog } from "../llm/model-catalog.ts";

/** Returns the variables with the keys of a crew's models: `GROQ_API_KEY`. */
export function modelKeys(definition: CrewDefinition): readonly string[] {
  const lacks = unusableModels(modelsOf(definition), modelCatalog({ variables: {} }));
  const names = lacks.flatMap(
    ({ message }) => /no key for \S+: set ([A-Z][A-Z0-9_]+)/.exec(message)?.[1] ?? [],
  );
  return [...new Set(names)];
}
