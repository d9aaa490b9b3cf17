/** `run` contains `answer`, and `admin` contains all. */
export type Scope = "run" | "read" | "answer" | "admin";

/** Name of the key of `EDGECREW_ADMIN_KEY` in records. */
export const ADMIN_KEY_NAME = "admin key";

/** An API key without its secret. */
export type ApiKey = {
  readonly id: string;
  readonly tenant: string;
  readonly name?: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** Time from which it is refused, milliseconds since the epoch. @default never */
  readonly expiresAtMs?: number;
  /** Day of the last use, in UTC: `2026-11-23`. */
  readonly lastUsedOn?: string;
};

/** True if a stored key exists and may be used now. */
export function isValidKey(key: ApiKey | undefined, nowMs: number): key is ApiKey {
  return key !== undefined && (key.expiresAtMs ?? Number.POSITIVE_INFINITY) > nowMs;
}

/** Header with the hash of a socket's key, for the run's object. Never accepted from a client. */
export const KEY_HASH_HEADER = "x-edgecrew-key-hash";
/** Lifetime of a positive check of a key or token, for streams opened with it, in milliseconds. */
export const KEY_RECHECK_MS = 30_000;

/** API keys, found by the SHA-256 of their secret (64 hex digits). */
export interface KeyStore {
  find(hash: string): Promise<ApiKey | undefined>;
  /** True if there is at least one key. */
  any(): Promise<boolean>;
  /** Records the day of a key's use. */
  used(id: string, on: string): Promise<void>;
  add(key: ApiKey, hash: string): Promise<void>;
  list(page: { afterId?: string | undefined; limit: number }): Promise<readonly ApiKey[]>;
  /** Returns false if the key did not exist. */
  delete(id: string): Promise<boolean>;
}
