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

/** Similarity below which two names have only letters in common. */
const MIN_LIKENESS = 0.65;
/** Length of a name from which another one that contains it is similar. */
const MIN_PART = 3;

/** Returns the names most similar to one, best first; none if no name is similar. */
export function nearestNames(name: string, names: readonly string[], count = 3): string[] {
  const key = toolKey(name);
  return names
    .map((each) => ({ each, likeness: likenessOf(key, toolKey(each)) }))
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, count)
    .map(({ each }) => each);
}

/** Returns the end of a message about an unknown name: a list of similar ones, or nothing. */
export function mostLike(near: readonly string[], place = ""): string {
  return near.length === 0 ? "" : `; most like it${place}: ${near.join(", ")}`;
}

/** Rates a name containing the other higher than one with the same letters. */
function likenessOf(key: string, other: string): number {
  const part = Math.min(key.length, other.length) >= MIN_PART;
  const contains = part && (other.includes(key) || key.includes(other)) ? 1 : 0;
  return similarity(key, other) + contains;
}
