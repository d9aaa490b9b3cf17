import { preview } from "../../base/json.ts";
import { log } from "../../base/log.ts";
import type { Tool } from "../../tools/tool.ts";

/** How an agent takes tools. */
export type ToolRegistration = {
  /** Whether its model may call them. @default true */
  readonly forLlm?: boolean;
  /** Whether it executes them. @default true */
  readonly forExecution?: boolean;
  /** Leaves out the warning about a tool whose place another one takes. @default false */
  readonly silent?: boolean;
};

/**
 * Tools, and others that take the places of those that models call by the same name. `agent` is whom a warning names; without it
 * there is none.
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
