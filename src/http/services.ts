import type { Clock } from "../base/clock.ts";
import type { KeyStore, Scope } from "../parts/key-store.ts";
import type { PartHost } from "../parts/part.ts";

/** All that the HTTP layer needs of the world. */
export type AppServices = PartHost & {
  readonly keys: KeyStore;
  readonly auth: AuthSettings;
  readonly cors?: CorsSettings;
  readonly clock: Clock;
  /** At least 128 bits from a secure source, in letters that a header can carry. */
  readonly randomSecret: () => string;
};

export type AuthSettings = {
  /** `open`: whoever comes without a known key acts for tenant `default` with all scopes. `keys`: nobody comes in without one. */
  readonly mode: "open" | "keys";
  /** A key of tenant `default` with all scopes; an empty one is none. */
  readonly adminKey?: string | undefined;
};

export type CorsSettings = {
  /** Origins whose pages may read answers, such as `https://app.example.com`. */
  readonly origins: readonly string[] | "*";
};

/** Whom a request acts for. */
export type Caller = { readonly tenant: string; readonly scopes: readonly Scope[] };

export const DEFAULT_TENANT = "default";

export type HttpEnv = { Variables: { services: AppServices; caller: Caller } };
