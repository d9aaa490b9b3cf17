import type { ModelRequest } from "./language-model.ts";

export const HIDE_TOOLS = ["never", "if_any_run", "if_all_run"] as const;

/** Condition to end the tool calls of a model: after a result of one tool, or of each tool. */
export type HideTools = (typeof HIDE_TOOLS)[number];

/**
 * Forbids tool calls in the request once the condition is met. The tools stay named, because some providers require
 * those of earlier turns. A request with its own tool choice stays unchanged.
 */
export function hideTools(request: ModelRequest, when: HideTools): ModelRequest {
  const { tools = [], toolChoice, messages } = request;
  if (when === "never" || tools.length === 0 || toolChoice !== undefined) return request;
  const ran = new Set(
    messages.flatMap((message) => (message.role === "tool" ? [message.toolName] : [])),
  );
  const isTime = when === "if_any_run" ? ran.size > 0 : tools.every(({ name }) => ran.has(name));
  return isTime ? { ...request, toolChoice: "none" } : request;
}
