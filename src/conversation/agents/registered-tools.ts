import { preview } from "../../base/json.ts";
import { log } from "../../base/log.ts";
import type { Tool } from "../../tools/tool.ts";

/** Registration of tools with an agent. */
export type ToolRegistration = {
  /** True if its model may call them. @default true */
  readonly forLlm?: boolean;
  /** True if the agent executes them. @default true */
  readonly forExecution?: boolean;
  /** Suppresses the warning about a replaced tool. @default false */
  readonly silent?: boolean;
};

/**
 * Returns the tools together with the added ones, which replace tools of the same model-facing name. With `agent`, each
 * replacement logs a warning naming that agent.
 */
export function withTools(
  tools: readonly Tool[],
  added: readonly Tool[],
  agent?: string,
): readonly Tool[] {
  const byName = new Map(tools.map((tool) => [tool.safeName, tool]));
  for (const tool of added) {
    const known = byName.get(tool.safeName);
    if (known !== undefined && known !== tool && agent !== undefined)
      log("tool_replaced", {
        tool: tool.safeName,
        detail: `agent ${preview(agent)}, tool ${preview(tool.name)}`,
      });
    byName.set(tool.safeName, tool);
  }
  return [...byName.values()];
}
