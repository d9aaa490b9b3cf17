import { sanitizeToolName, similarity } from "./tool-name.ts";

/**
 * Returns the key shared by all spellings of a tool's name: `SerperDevTool`, `serper_dev_tool` and
 * `crewai_tools:SerperDevTool` all become `serperdev`.
 */
export function toolKey(name: string): string {
  const last = name.split(/[:.]/).at(-1) ?? name;
  const joined = sanitizeToolName(last).replaceAll("_", "");
  return joined.replace(/(?<=.)tool$/, "");
}

/** Returns the names most similar to one, best first. */
export function nearestNames(name: string, names: readonly string[], count = 3): string[] {
  const key = toolKey(name);
  return names
    .map((each) => ({ each, likeness: likenessOf(key, toolKey(each)) }))
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, count)
    .map(({ each }) => each);
}

/** Rates a name containing the other higher than one with the same letters. */
function likenessOf(key: string, other: string): number {
  const contains = other.includes(key) || key.includes(other) ? 1 : 0;
  return similarity(key, other) + contains;
}
