import type { Caller } from "../parts/caller.ts";
import type { PartHost } from "../parts/part.ts";
import type { WorkerFacts } from "../parts/worker-facts.ts";

/** Services used by the HTTP layer. */
export type AppServices = PartHost & {
  readonly cors?: CorsSettings;
  /** Settings that are safe only on hosts of this machine, each with its remedy. @default none */
  readonly developmentSettings?: readonly string[];
  /** @default no facts */
  readonly facts?: WorkerFacts;
};

export { DEFAULT_TENANT, type AuthMode, type AuthSettings } from "../parts/auth-settings.ts";
export type { Caller } from "../parts/caller.ts";

export type CorsSettings = {
  /** Origins whose pages may read answers, such as `https://app.example.com`. */
  readonly origins: readonly string[] | "*";
};

export type HttpEnv = { Variables: { services: AppServices; caller: Caller } };
