import type { Tool } from "./tool.ts";

/** Returns `tools` followed by `added`. An added tool replaces one of the same name. */
export function mergeTools(tools: readonly Tool[], added: readonly Tool[]): readonly Tool[] {
  if (added.length === 0) return tools;
  const names = new Set(added.map((tool) => tool.safeName));
  return [...tools.filter((tool) => !names.has(tool.safeName)), ...added];
}
