import { sanitizeToolName, similarity } from "./tool-name.ts";

/**
 * What the spellings of a tool's name have in common: `SerperDevTool`, `serper_dev_tool` and `crewai_tools:SerperDevTool` are all
 * `serperdev`.
 */
export function toolKey(name: string): string {
  const last = name.split(/[:.]/).at(-1) ?? name;
  const joined = sanitizeToolName(last).replaceAll("_", "");
  return joined.replace(/(?<=.)tool$/, "");
}

/** The names that are most like one, best first. */
export function nearestNames(name: string, names: readonly string[], count = 3): string[] {
  const key = toolKey(name);
  return names
    .map((each) => ({ each, likeness: likenessOf(key, toolKey(each)) }))
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, count)
    .map(({ each }) => each);
}

/** A name that contains the other is meant sooner than one of the same letters. */
function likenessOf(key: string, other: string): number {
  const contains = other.includes(key) || key.includes(other) ? 1 : 0;
  return similarity(key, other) + contains;
}
