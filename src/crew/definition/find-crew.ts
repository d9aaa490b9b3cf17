import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { DefinitionStore } from "../../parts/definition-store.ts";
import { crewFromDefinition, readCrewDefinition, type CrewDefinition } from "./crew-definition.ts";
import type { Crew } from "../crew.ts";
import type { DefinitionRegistry } from "./definition-registry.ts";

/** Where crews are found by name. */
export type CrewSources = DefinitionRegistry & {
  /** Crews that came with the code. */
  readonly crews: Readonly<Record<string, Crew>>;
  readonly definitions: DefinitionStore;
};

export type FoundCrew =
  | { readonly source: "code"; readonly crew: Crew }
  | { readonly source: "stored"; readonly crew: Crew; readonly definition: CrewDefinition };

/** The registered crew of that name, else the tenant's stored one. Throws `not_found`; `invalid_definition` when a stored one no longer fits. */
export async function findCrew(
  sources: CrewSources,
  tenant: string,
  name: string,
): Promise<FoundCrew> {
  if (Object.hasOwn(sources.crews, name))
    return { source: "code", crew: sources.crews[name] as Crew };
  const stored = await sources.definitions.get(tenant, "crew", name);
  if (stored === undefined) throw noCrew(name);
  return readStored(sources, stored.definition);
}

export function readStored(
  registry: DefinitionRegistry,
  stored: JsonValue,
): FoundCrew & { source: "stored" } {
  const definition = readCrewDefinition(stored);
  return { source: "stored", crew: crewFromDefinition(definition, registry), definition };
}

export function noCrew(name: string): EngineError {
  return new EngineError("not_found", `there is no crew "${name}"`);
}
