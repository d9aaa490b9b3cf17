// Capabilities of models in OpenAI's dialect, by their names; known before their adapter is loaded.
import type { BuiltinKind } from "../builtin-tools.ts";
import { behaves } from "../providers/model-rows.ts";

/** True for models that think before they answer: their limit includes the thinking. */
export function isReasoningModel(model: string): boolean {
  return behaves(model, "completion_limit");
}

/** False for models whose API refuses a `stop`. */
export function takesStop(model: string): boolean {
  return !behaves(model, "no_stop");
}

export function takesTools(model: string): boolean {
  return !behaves(model, "no_tools");
}

/** False for the models from before structured outputs. */
export function takesResponseSchema(model: string): boolean {
  return !behaves(model, "no_response_schema");
}

/** Tools run by OpenAI, in its Responses API. */
export const OPENAI_TOOLS: readonly BuiltinKind[] = [
  "web_search",
  "code_execution",
  "file_search",
  "image_generation",
  "mcp",
];
