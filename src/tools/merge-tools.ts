import type { Tool } from "./tool.ts";

/** `tools` and then `added`; one of `tools` that is named like an added one gives way. */
export function mergeTools(tools: readonly Tool[], added: readonly Tool[]): readonly Tool[] {
  if (added.length === 0) return tools;
  const names = new Set(added.map((tool) => tool.safeName));
  return [...tools.filter((tool) => !names.has(tool.safeName)), ...added];
}
