import type { JsonValue } from "../base/json.ts";

/** The kind of what is defined, as runs of it have: `crew`, `flow`. */
export type DefinitionKind = string;

export type StoredDefinition = {
  readonly name: string;
  readonly definition: JsonValue;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

/** Definitions that came as data. Names are unique within a tenant and kind. */
export interface DefinitionStore {
  get(tenant: string, kind: DefinitionKind, name: string): Promise<StoredDefinition | undefined>;
  /** By name, after `afterName`, at most `limit`. */
  list(
    tenant: string,
    kind: DefinitionKind,
    page: { afterName?: string | undefined; limit: number },
  ): Promise<readonly StoredDefinition[]>;
  /** Writes the definition whole; true when the name was new. */
  put(
    tenant: string,
    kind: DefinitionKind,
    entry: { name: string; definition: JsonValue; nowMs: number },
  ): Promise<boolean>;
  /** False when there was none. */
  delete(tenant: string, kind: DefinitionKind, name: string): Promise<boolean>;
}
