// What models of OpenAI's dialect take, by their names; known before their adapter is loaded.
import type { BuiltinKind } from "../builtin-tools.ts";
import { behaves } from "../providers/model-rows.ts";

/** Models that think before they answer: their limit counts the thinking too. */
export function isReasoningModel(model: string): boolean {
  return behaves(model, "completion_limit");
}

/** False for models whose API answers a `stop` with an error. */
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

/** The tools that OpenAI runs, in its Responses API. */
export const OPENAI_TOOLS: readonly BuiltinKind[] = [
  "web_search",
  "code_execution",
  "file_search",
  "image_generation",
  "mcp",
];
