/** Models: your own, and models found by name in a catalog. */

/** The port of every model. */
export type {
  CallOptions,
  ContentPart,
  LanguageModel,
  Message,
  ModelRequest,
  ModelResponse,
  ToolCall,
  ToolCallDelta,
  ToolSpec,
} from "../llm/language-model.ts";
/** The model of a fresh clone, for Workers built for production. */
export { demoModel } from "../llm/offline/named-demo.ts";
export type { DemoOptions } from "../llm/offline/capabilities.ts";
/** Finds models by name, and makes each of them once. */
export { modelCatalog, type ModelCatalog } from "../llm/model-catalog.ts";
/** Several models used as one: AG2's config lists. */
export {
  modelList,
  modelListFrom,
  type ModelCriteria,
  ModelList,
  type ModelListEntry,
  type ModelListOptions,
  type ModelListSettings,
} from "../llm/model-list.ts";
/** Storage for answers of models with a `cacheSeed`. */
export type { ModelCache } from "../llm/model-cache.ts";
export { InMemoryModelCache } from "../llm/in-memory-model-cache.ts";
/** Usage and cost of models, computed from events. */
export {
  usageSummary,
  type ModelUsage,
  type UsageSummary,
  type UsageView,
} from "../model-calls/usage-summary.ts";
export type { ModelEnvironment } from "../llm/model-environment.ts";
/** Sees the HTTP requests to providers, and their responses. */
export type { ModelInterceptor } from "../llm/interceptor.ts";
