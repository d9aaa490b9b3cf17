import type { JsonValue } from "../../base/json.ts";
import type { DefinitionStore } from "../../parts/definition-store.ts";
import { findRegistered } from "../../parts/registered.ts";
import { refuseVersion, storedVersion } from "../../parts/stored-definitions.ts";
import {
  needDeclarativeFlows,
  type DeclarativeFlows,
  type DeclaredFlow,
  type FlowRegistry,
} from "../declarative-flows.ts";
import type { BuiltFlow } from "../built-flow.ts";

/** Where flows are found by name. */
export type FlowSources = {
  /** Flows of the deployed code. */
  readonly flows: Readonly<Record<string, BuiltFlow>>;
  /** Reads flows that come as data; without it there are none. */
  readonly declarativeFlows?: DeclarativeFlows | undefined;
  /** What stored flows can name. */
  readonly registry: FlowRegistry;
  readonly definitions: DefinitionStore;
};

export type FoundFlow =
  | { readonly source: "code"; readonly flow: BuiltFlow }
  | ({ readonly source: "stored" } & DeclaredFlow);

/**
 * The registered flow of that name, else the tenant's stored one, in its present version unless another is asked for. Throws
 * `not_found`; `invalid_definition` when a stored one no longer fits; `invalid_input` for a version of a registered one.
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
