// What Anthropic's models take, by their names; known before their adapter is loaded.
import type { BuiltinKind } from "../builtin-tools.ts";
import { behaves } from "../providers/model-rows.ts";

/** The tools that Anthropic runs. */
export const ANTHROPIC_TOOLS: readonly BuiltinKind[] = [
  "web_search",
  "web_fetch",
  "code_execution",
  "mcp",
];

/** Whether the model has the provider's search among tools: the larger ones, from Claude 4.5 on. */
export function searchesTools(model: string): boolean {
  return behaves(model, "tool_search");
}
