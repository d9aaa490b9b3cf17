import type { Tool } from "../../tools/tool.ts";

/** Tools with further ones, each in the place of one that has its name. */
export function withTools(tools: readonly Tool[], added: readonly Tool[]): readonly Tool[] {
  if (added.length === 0) return tools;
  const names = new Set(added.map(({ name }) => name));
  return [...tools.filter(({ name }) => !names.has(name)), ...added];
}
