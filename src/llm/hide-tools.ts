import type { ModelRequest } from "./language-model.ts";

export const HIDE_TOOLS = ["never", "if_any_run", "if_all_run"] as const;

/** When a model may call no more tools: once one of them has given a result, or each of them. */
export type HideTools = (typeof HIDE_TOOLS)[number];

/**
 * The request without leave to call tools, where it is time for that. They stay named, as some providers want to know those of
 * earlier turns. A request that says itself what the model is to do about tools is left alone.
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
