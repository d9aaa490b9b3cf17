import type { PartHost } from "../parts/part.ts";
import type { WorkerFacts } from "../parts/worker-facts.ts";

/** The services that the HTTP layer uses. */
export type AppServices = PartHost & {
  readonly cors?: CorsSettings;
  /** Settings that only hosts of this machine may be served with, each with what to do about it. @default none */
  readonly developmentSettings?: readonly string[];
  /** @default nothing is known */
  readonly facts?: WorkerFacts;
};

export { DEFAULT_TENANT, type AuthMode, type AuthSettings } from "../parts/auth-settings.ts";
export type { Caller } from "../parts/caller.ts";

export type CorsSettings = {
  /** Origins whose pages may read answers, such as `https://app.example.com`. */
  readonly origins: readonly string[] | "*";
};
