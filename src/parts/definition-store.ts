import type { JsonValue } from "../base/json.ts";

/** The kind of the definition, and of its runs: `crew`, `flow`. */
export type DefinitionKind = string;

export type StoredDefinition = {
  readonly name: string;
  readonly definition: JsonValue;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

/** Definitions stored as data. Names are unique within a tenant and kind. */
export interface DefinitionStore {
  get(tenant: string, kind: DefinitionKind, name: string): Promise<StoredDefinition | undefined>;
  /** By name, after `afterName`, at most `limit`. */
  list(
    tenant: string,
    kind: DefinitionKind,
    page: { afterName?: string | undefined; limit: number },
  ): Promise<readonly StoredDefinition[]>;
  /** Stores or replaces a definition. True if the name was new. */
  put(
    tenant: string,
    kind: DefinitionKind,
    entry: { name: string; definition: JsonValue; nowMs: number },
  ): Promise<boolean>;
  /** One of the versions that a store keeps; undefined for one that there is not. @default none is kept */
  version?(
    tenant: string,
    which: { readonly kind: DefinitionKind; readonly name: string; readonly version: number },
  ): Promise<Pick<StoredDefinition, "definition"> | undefined>;
  /** False if there was none. */
  delete(tenant: string, kind: DefinitionKind, name: string): Promise<boolean>;
}

declare module "../events/run-services.ts" {
  interface RunServices {
    /** The stored definitions of the tenant. */
    readonly storedDefinitions?: StoredDefinitions;
  }
}

/** Finds a tenant's stored definitions by kind and name. */
export type StoredDefinitions = (
  kind: DefinitionKind,
  name: string,
) => Promise<StoredDefinition | undefined>;
