import type { JsonValue } from "../base/json.ts";
import type { BuiltFlow } from "../flow/built-flow.ts";
import { needDeclarativeFlows, type DeclaredFlow } from "../flow/declarative-flows.ts";
import { findRegistered } from "./registered.ts";
import type { AppServices } from "./services.ts";

export type FoundFlow =
  | { readonly source: "code"; readonly flow: BuiltFlow }
  | ({ readonly source: "stored" } & DeclaredFlow);

/** The registered flow of that name, else the tenant's stored one. Throws `not_found`; `invalid_definition` when a stored one no longer fits. */
export async function findFlow(
  services: AppServices,
  tenant: string,
  name: string,
): Promise<FoundFlow> {
  const { flows = {}, definitions } = services;
  if (!Object.hasOwn(flows, name)) {
    const stored = await definitions.get(tenant, "flow", name);
    if (stored !== undefined) return readStoredFlow(services, name, stored.definition);
  }
  return { source: "code", flow: findRegistered(flows, name, "flow") };
}

export function readStoredFlow(
  services: AppServices,
  name: string,
  stored: JsonValue,
): FoundFlow & { source: "stored" } {
  const declared = needDeclarativeFlows(services.declarativeFlows);
  return { source: "stored", ...declared.read(stored, { name, registry: services }) };
}
