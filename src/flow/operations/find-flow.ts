import type { JsonValue } from "../../base/json.ts";
import type { DefinitionStore } from "../../parts/definition-store.ts";
import { findRegistered } from "../../parts/registered.ts";
import { refuseVersion, storedVersion } from "../../parts/stored-definitions.ts";
import type { ServedFlow } from "../served-flow.ts";
import {
  needDeclarativeFlows,
  type DeclaredFlow,
  type FlowReader,
  type FlowRegistry,
} from "../flow-reader.ts";

/** Sources for flows by name. */
export type FlowSources = {
  /** Flows of the deployed code. */
  readonly flows: Readonly<Record<string, ServedFlow>>;
  /** Reads flows as data; without it there are none. */
  readonly declarativeFlows?: FlowReader | undefined;
  /** Registry of names for stored flows. */
  readonly registry: FlowRegistry;
  readonly definitions: DefinitionStore;
};

export type FoundFlow =
  | { readonly source: "code"; readonly flow: ServedFlow }
  | ({ readonly source: "stored" } & DeclaredFlow);

/**
 * Returns the registered flow of this name, else the tenant's stored one, by default in its present version. Throws
 * `not_found`; `invalid_definition` if a stored flow no longer fits; `invalid_input` for a version of a registered
 * flow.
 */
export async function findFlow(
  sources: FlowSources,
  tenant: string,
  { name, version }: { readonly name: string; readonly version?: number | undefined },
): Promise<FoundFlow> {
  const { flows, definitions } = sources;
  if (!Object.hasOwn(flows, name)) {
    const stored = await storedVersion(definitions, { tenant, kind: "flow", name }, version);
    if (stored !== undefined) return readStoredFlow(sources, name, stored.definition);
  }
  refuseVersion("flow", name, version);
  return { source: "code", flow: findRegistered(flows, name, "flow") };
}

export function readStoredFlow(
  { declarativeFlows, registry }: Pick<FlowSources, "declarativeFlows" | "registry">,
  name: string,
  stored: JsonValue,
): FoundFlow & { source: "stored" } {
  const declared = needDeclarativeFlows(declarativeFlows);
  return { source: "stored", ...declared.read(stored, { name, registry }) };
}
