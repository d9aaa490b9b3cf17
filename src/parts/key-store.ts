/** `run` contains `answer`, and `admin` contains all. */
export type Scope = "run" | "read" | "answer" | "admin";

/** What records call the key of `EDGECREW_ADMIN_KEY`. */
export const ADMIN_KEY_NAME = "admin key";

/** An API key without its secret. */
export type ApiKey = {
  readonly id: string;
  readonly tenant: string;
  readonly name?: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** From then on it is refused, milliseconds since the epoch. @default never */
  readonly expiresAtMs?: number;
  /** The day, in UTC, that it was last used on: `2026-11-23`. */
  readonly lastUsedOn?: string;
};

/** Whether a key, as it was found, may be used now. */
export function isValidKey(key: ApiKey | undefined, nowMs: number): key is ApiKey {
  return key !== undefined && (key.expiresAtMs ?? Number.POSITIVE_INFINITY) > nowMs;
}

/** The header by which a run's object learns the hash of the key that a socket is opened with. It never comes from a client. */
export const KEY_HASH_HEADER = "x-edgecrew-key-hash";
/** How long a key or token that was found valid counts as valid for what is open with it. */
export const KEY_RECHECK_MS = 30_000;

/** API keys, found by the SHA-256 of their secret (64 hex digits). */
export interface KeyStore {
  find(hash: string): Promise<ApiKey | undefined>;
  /** True if there is at least one key. */
  any(): Promise<boolean>;
  /** Notes the day that a key was used on. */
  used(id: string, on: string): Promise<void>;
  add(key: ApiKey, hash: string): Promise<void>;
  list(page: { afterId?: string | undefined; limit: number }): Promise<readonly ApiKey[]>;
  /** False if there was none. */
  delete(id: string): Promise<boolean>;
}
