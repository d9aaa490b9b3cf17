// Capabilities of Anthropic's models, by their names; known before their adapter is loaded.
import type { BuiltinKind } from "../builtin-tools.ts";
import { behaves } from "../providers/model-rows.ts";

/** Tools run by Anthropic. */
export const ANTHROPIC_TOOLS: readonly BuiltinKind[] = [
  "web_search",
  "web_fetch",
  "code_execution",
  "mcp",
];

/** True if the model has the provider's tool search: the larger models, from Claude 4.5 on. */
export function searchesTools(model: string): boolean {
  return behaves(model, "tool_search");
}
