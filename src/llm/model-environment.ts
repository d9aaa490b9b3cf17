// Environment of models: keys, bindings and rules of a deployment.
import type { Clock } from "../base/clock.ts";
import type { DefinitionRules } from "./definition-rules.ts";
import type { ModelInterceptor } from "./interceptor.ts";
import type { LanguageModel } from "./language-model.ts";
import type { ModelCache } from "./model-cache.ts";
import type { PriceTable } from "./model-data.ts";
import type { Variables } from "./variables.ts";
import type { AiBinding } from "./workers-ai/ai-binding.ts";

/** Environment of models. */
export type ModelEnvironment = {
  /** Keys, base URLs and defaults: the Worker's `env`, or `process.env`. */
  readonly variables: Variables;
  /** The `AI` binding. */
  readonly ai?: AiBinding;
  /** @default the global one */
  readonly fetch?: typeof fetch;
  /** Custom models, by the name used in definitions. */
  readonly models?: Readonly<Record<string, LanguageModel>>;
  /** Prices that take precedence over those of model-data.ts. */
  readonly prices?: PriceTable;
  /**
   * Sees the HTTP requests of all models, before the interceptors in a model's own settings. The `AI` binding makes no
   * such requests.
   */
  readonly interceptor?: ModelInterceptor;
  /** @default the system's */
  readonly clock?: Clock;
  /** Restrictions for specs from data. @default unrestricted */
  readonly definitions?: DefinitionRules;
  /** Cache for models with a `cacheSeed`, unless their settings or their calls name one. @default none */
  readonly cache?: ModelCache | undefined;
};
