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
export type { ModelEnvironment } from "./llm/resolve-model.ts";
/** Sees the HTTP requests to providers, and their responses. */
export type { ModelInterceptor } from "./llm/interceptor.ts";
