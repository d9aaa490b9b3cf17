import { EngineError } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import {
  crewFromDefinition,
  readCrewDefinition,
  type CrewDefinition,
} from "../crew/crew-definition.ts";
import type { Crew } from "../crew/crew.ts";
import type { AppServices } from "./services.ts";

export type FoundCrew =
  | { readonly source: "code"; readonly crew: Crew }
  | { readonly source: "stored"; readonly crew: Crew; readonly definition: CrewDefinition };

/** The registered crew of that name, else the tenant's stored one. Throws `not_found`; `invalid_definition` when a stored one no longer fits. */
export async function findCrew(
  services: AppServices,
  tenant: string,
  name: string,
): Promise<FoundCrew> {
  if (Object.hasOwn(services.crews, name))
    return { source: "code", crew: services.crews[name] as Crew };
  const stored = await services.definitions.get(tenant, "crew", name);
  if (stored === undefined) throw noCrew(name);
  return readStored(services, stored.definition);
}

export function readStored(
  services: AppServices,
  stored: JsonValue,
): FoundCrew & { source: "stored" } {
  const definition = readCrewDefinition(stored);
  return { source: "stored", crew: crewFromDefinition(definition, services), definition };
}

export function noCrew(name: string): EngineError {
  return new EngineError("not_found", `there is no crew "${name}"`);
}
