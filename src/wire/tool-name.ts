// Tool names: the form for sending to a model and for comparison.
//
//   TN1. A sanitised name matches `[a-z_][a-z0-9_]{0,63}`, which every provider accepts. Only a blank name stays empty.
//   TN2. Sanitising twice has no further effect.
//   TN3. A name that was cut, or lost all its characters, ends in a hash, so different names stay different.
import { sha256Hex } from "../base/sha256.ts";

const MAX_LENGTH = 64;
const KEPT_OF_LONG_NAME = 55;
const CLOSE_ENOUGH = 0.85;

/** Converts a name: `Read a file's content` → `read_a_files_content`, `SerperDevTool` → `serper_dev_tool`. */
export function sanitizeToolName(name: string): string {
  const ascii = name.normalize("NFKD").replace(/[^\x20-\x7e\s]/g, "");
  const snake = ascii
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/['"`]/g, "")
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .join("_");
  if (snake === "") return name.trim() === "" ? "" : `tool_${sha256Hex(name).slice(0, 8)}`;
  const valid = /^\d/.test(snake) ? `_${snake}` : snake;
  if (valid.length <= MAX_LENGTH) return valid;
  return `${valid.slice(0, KEPT_OF_LONG_NAME).replace(/_+$/, "")}_${sha256Hex(valid).slice(0, 8)}`;
}

/** Returns the sanitised names in their order. A repeated one gets `_2`, `_3`, and so on. */
export function uniqueToolNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const sanitized = sanitizeToolName(name);
    let unique = sanitized;
    for (let count = 2; taken.has(unique); count++) {
      const suffix = `_${count}`;
      unique = sanitized.slice(0, MAX_LENGTH - suffix.length) + suffix;
    }
    taken.add(unique);
    return unique;
  });
}

/** Returns the name the model most likely meant: equal, or with a similarity above 0.85, after sanitising both. */
export function closestToolName(requested: string, names: readonly string[]): string | undefined {
  const wanted = sanitizeToolName(requested);
  if (wanted === "") return undefined;
  let closest: string | undefined;
  let best = CLOSE_ENOUGH;
  for (const name of names) {
    const ratio = similarity(wanted, sanitizeToolName(name));
    if (ratio > best) {
      closest = name;
      best = ratio;
    }
  }
  return closest;
}

/**
 * Similarity of two texts, 0 to 1: twice the characters in common blocks, over all characters (Ratcliff and Obershelp).
 */
export function similarity(a: string, b: string): number {
  const total = a.length + b.length;
  return total === 0 ? 1 : (2 * commonCharacters(a, b)) / total;
}

/** Counts the characters in the longest common block, and recursively to its left and right. */
function commonCharacters(a: string, b: string): number {
  const block = longestCommonBlock(a, b);
  if (block.length === 0) return 0;
  return (
    block.length +
    commonCharacters(a.slice(0, block.startA), b.slice(0, block.startB)) +
    commonCharacters(a.slice(block.startA + block.length), b.slice(block.startB + block.length))
  );
}

type Block = { readonly startA: number; readonly startB: number; readonly length: number };

function longestCommonBlock(a: string, b: string): Block {
  let longest: Block = { startA: 0, startB: 0, length: 0 };
  let previous: number[] = [];
  for (let indexA = 0; indexA < a.length; indexA++) {
    const current: number[] = [];
    for (let indexB = 0; indexB < b.length; indexB++) {
      if (a[indexA] !== b[indexB]) continue;
      const length = (previous[indexB - 1] ?? 0) + 1;
      current[indexB] = length;
      if (length > longest.length) {
        longest = { startA: indexA - length + 1, startB: indexB - length + 1, length };
      }
    }
    previous = current;
  }
  return longest;
}
