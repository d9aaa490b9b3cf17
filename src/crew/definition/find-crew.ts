import type { JsonValue } from "../../base/json.ts";
import type { DefinitionStore } from "../../parts/definition-store.ts";
import { notStored, refuseVersion, storedVersion } from "../../parts/stored-definitions.ts";
import { crewFromDefinition, readCrewDefinition } from "./crew-definition.ts";
import type { Crew } from "../crew.ts";
import type { DefinitionRegistry } from "./definition-registry.ts";
import type { CrewDefinition } from "./definition-schema.ts";

/** Sources for crews by name. */
export type CrewSources = DefinitionRegistry & {
  /** Crews registered in code. */
  readonly crews: Readonly<Record<string, Crew>>;
  readonly definitions: DefinitionStore;
};

export type FoundCrew =
  | { readonly source: "code"; readonly crew: Crew }
  | { readonly source: "stored"; readonly crew: Crew; readonly definition: CrewDefinition };

/**
 * Returns the registered crew of this name, else the tenant's stored one, by default in its present version. Throws
 * `not_found`; `invalid_definition` if a stored crew no longer fits; `invalid_input` for a version of a registered
 * crew.
 */
export async function findCrew(
  sources: CrewSources,
  tenant: string,
  { name, version }: { readonly name: string; readonly version?: number | undefined },
): Promise<FoundCrew> {
  if (Object.hasOwn(sources.crews, name)) {
    refuseVersion("crew", name, version);
    return { source: "code", crew: sources.crews[name] as Crew };
  }
  const at = { tenant, kind: "crew", name };
  const stored = await storedVersion(sources.definitions, at, version);
  if (stored === undefined) throw notStored("crew", name);
  return readStored(sources, stored.definition);
}

export function readStored(
  registry: DefinitionRegistry,
  stored: JsonValue,
): FoundCrew & { source: "stored" } {
  const definition = readCrewDefinition(stored);
  return { source: "stored", crew: crewFromDefinition(definition, registry), definition };
}
