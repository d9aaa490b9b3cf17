/** Models: for a model of your own, and for those that a catalog finds by name. */

/** The port that every model implements. */
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
} from "./llm/language-model.ts";
/** Finds models by name, and makes each of them once. */
export { modelCatalog, type ModelCatalog } from "./llm/model-catalog.ts";
/** Several models that stand for one: AG2's config lists. */
export {
  modelList,
  modelListFrom,
  type ModelCriteria,
  ModelList,
  type ModelListEntry,
  type ModelListOptions,
  type ModelListSettings,
} from "./llm/model-list.ts";
/** Where answers of models with a `cacheSeed` are kept. */
export type { ModelCache } from "./llm/model-cache.ts";
export { InMemoryModelCache } from "./llm/in-memory-model-cache.ts";
/** What models were used for, and what that cost, read off events. */
export {
  usageSummary,
  type ModelUsage,
  type UsageSummary,
  type UsageView,
} from "./model-calls/usage-summary.ts";
export type { ModelEnvironment } from "./llm/resolve-model.ts";
/** Sees the HTTP requests to providers, and their responses. */
export type { ModelInterceptor } from "./llm/interceptor.ts";
