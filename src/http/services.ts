import type { Clock } from "../base/clock.ts";
import type { KeyStore, Scope } from "../parts/key-store.ts";
import type { PartHost } from "../parts/part.ts";
import type { WorkerFacts } from "../parts/worker-facts.ts";

/** The services that the HTTP layer uses. */
export type AppServices = PartHost & {
  readonly keys: KeyStore;
  readonly auth: AuthSettings;
  readonly cors?: CorsSettings;
  /** Settings that only hosts of this machine may be served with, each with what to do about it. @default none */
  readonly developmentSettings?: readonly string[];
  /** @default nothing is known */
  readonly facts?: WorkerFacts;
  readonly clock: Clock;
  /** At least 128 bits from a secure source, in characters that a header can hold. */
  readonly randomSecret: () => string;
};

export type AuthMode = "keys" | "open" | "open-to-everybody";

export type AuthSettings = {
  /**
   * `keys`: a caller without a known key is refused. `open`: on hosts of this machine it acts for tenant `default` with all
   * scopes. `open-to-everybody`: on all hosts.
   */
  readonly mode: AuthMode;
  /** A key of tenant `default` with all scopes; an empty text is no key. */
  readonly adminKey?: string | undefined;
};

export type CorsSettings = {
  /** Origins whose pages may read answers, such as `https://app.example.com`. */
  readonly origins: readonly string[] | "*";
};

/** The tenant that a request acts for, and its scopes. */
export type Caller = {
  readonly tenant: string;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the key; absent where nothing can take the caller's rights away while a stream is open. */
  readonly keyHash?: string;
  /** Stands for a caller without a key in limits and records. */
  readonly id?: string;
};

export const DEFAULT_TENANT = "default";

export type HttpEnv = { Variables: { services: AppServices; caller: Caller } };
