// What models of OpenAI's dialect take, by their names; known before their adapter is loaded.
import type { BuiltinKind } from "../builtin-tools.ts";

/** Models that think before they answer: no `stop`, and a limit that counts the thinking too. */
export function isReasoningModel(model: string): boolean {
  return /(?:^|\/)(?:o[134](?:-|$)|gpt-[5-9])/.test(model);
}

/** False for models whose API answers a `stop` with an error. */
export function takesStop(model: string): boolean {
  return !isReasoningModel(model);
}

export function takesTools(model: string): boolean {
  return !/(?:^|\/)o1-(?:mini|preview)/.test(model);
}

/** False for the models from before structured outputs. */
export function takesResponseSchema(model: string): boolean {
  return !/(?:^|\/)(?:gpt-3\.5|gpt-4(?:-|$)|o1-(?:mini|preview))/.test(model);
}

/** The tools that OpenAI runs, in its Responses API. */
export const OPENAI_TOOLS: readonly BuiltinKind[] = [
  "web_search",
  "code_execution",
  "file_search",
  "image_generation",
  "mcp",
];
