export type Scope = "run" | "read" | "admin";

/** An API key without its secret. */
export type ApiKey = {
  readonly id: string;
  readonly tenant: string;
  readonly name?: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
};

/** API keys, found by the SHA-256 of their secret (64 hex digits). */
export interface KeyStore {
  find(hash: string): Promise<ApiKey | undefined>;
  /** True when there is any key at all. */
  any(): Promise<boolean>;
  add(key: ApiKey, hash: string): Promise<void>;
  list(page: { afterId?: string | undefined; limit: number }): Promise<readonly ApiKey[]>;
  /** False when there was none. */
  delete(id: string): Promise<boolean>;
}
