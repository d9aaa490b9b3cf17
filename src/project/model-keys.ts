import { unusableModels, modelsOf } from "../crew/definition/model-lacks.ts";
import type { CrewDefinition } from "../crew/definition/definition-schema.ts";
import { modelCatalog } from "../llm/model-catalog.ts";

/** Messages about a missing key, with its variable. */
const NO_KEY = /no key for \S+: set ([A-Z][A-Z0-9_]+)|the secret (\w+) is not set/;

/** Returns the variables with the keys of a crew's models: `GROQ_API_KEY`. */
export function modelKeys(definition: CrewDefinition): readonly string[] {
  const lacks = unusableModels(modelsOf(definition), modelCatalog({ variables: {} }));
  const names = lacks.flatMap(
    ({ message }) =>
      NO_KEY.exec(message)
        ?.slice(1)
        .filter((name) => name !== undefined) ?? [],
  );
  return [...new Set(names)];
}
