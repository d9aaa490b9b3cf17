import type { JsonValue } from "../base/json.ts";

/** The kind of the definition, and of its runs: `crew`, `flow`. */
export type DefinitionKind = string;

export type StoredDefinition = {
  readonly name: string;
  readonly definition: JsonValue;
  /** Counts from 1, and continues after a deletion of the name. */
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

/** A version in lists, without its contents. */
export type DefinitionVersion = {
  readonly version: number;
  readonly createdAtMs: number;
  /** Name of the caller who stored it, if the caller has one. */
  readonly by?: string;
  readonly note?: string;
  /** Size of the request. */
  readonly bytes: number;
};

export type StoredVersion = DefinitionVersion & {
  readonly definition: JsonValue;
  /** Source text as sent, such as YAML with its comments. Absent if it contains literal keys, or is very long. */
  readonly source?: string;
  readonly mediaType?: string;
};

/** Number of stored versions per name, newest first. */
export const MAX_VERSIONS = 50;

export type DefinitionEntry = {
  readonly name: string;
  readonly definition: JsonValue;
  readonly nowMs: number;
  readonly source?: string | undefined;
  readonly mediaType?: string | undefined;
  /**
   * Hash of the source text and its meaning: with the hash of the current version, no version is added. @default always
   * a new version
   */
  readonly hash?: string | undefined;
  readonly by?: string | undefined;
  readonly note?: string | undefined;
  /** Size of the request. @default size of the definition as JSON */
  readonly bytes?: number | undefined;
  /** Throws unless the current version, undefined for a free name, is the one to replace. */
  readonly checkPresent?: (version: number | undefined) => void;
};

export type PutResult = {
  readonly version: number;
  /** True if the name was free. */
  readonly isNew: boolean;
};

/** Definitions stored as data. Names are unique within a tenant and kind. */
export interface DefinitionStore {
  get(tenant: string, kind: DefinitionKind, name: string): Promise<StoredDefinition | undefined>;
  /** Returns definitions by name, after `afterName`, at most `limit`. */
  list(
    tenant: string,
    kind: DefinitionKind,
    page: { afterName?: string | undefined; limit: number },
  ): Promise<readonly StoredDefinition[]>;
  /**
   * Stores or replaces a definition as a new version. With concurrent writers, each replaces the version it has
   * checked.
   */
  put(tenant: string, kind: DefinitionKind, entry: DefinitionEntry): Promise<PutResult>;
  /** Returns false if the name did not exist. Its versions stay. */
  delete(tenant: string, kind: DefinitionKind, name: string): Promise<boolean>;
  /** Newest first, also of a deleted name. */
  versions(
    tenant: string,
    kind: DefinitionKind,
    page: { name: string; before?: number | undefined; limit: number },
  ): Promise<readonly DefinitionVersion[]>;
  version(
    tenant: string,
    kind: DefinitionKind,
    which: { name: string; version: number },
  ): Promise<StoredVersion | undefined>;
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
