// Parts of a score, as pieces of one bar.
import type { Match } from "./types.ts";

export type ScorePiece = {
  readonly name: "similarity" | "recency" | "importance" | "rank";
  readonly label: string;
  /** Contribution to the score. */
  readonly value: number;
  /** Share of the whole bar, 0 to 1; the bar is as long as a score of 1. */
  readonly share: number;
};

const LABELS = {
  similarity: "Similarity",
  recency: "Recency",
  importance: "Importance",
  rank: "Words",
} as const;

/** Returns the pieces without empty ones. A score above 1 fills the bar. */
export function scorePieces({ parts, score }: Pick<Match, "parts" | "score">): ScorePiece[] {
  const whole = Math.max(1, score);
  return (Object.keys(LABELS) as (keyof typeof LABELS)[]).flatMap((name) => {
    const value = parts[name] ?? 0;
    return value === 0
      ? []
      : [{ name, label: LABELS[name], value, share: Math.max(0, value) / whole }];
  });
}

/** Returns the parent path; undefined for the root. */
export function parentScope(path: string): string | undefined {
  if (path === "/") return undefined;
  const parent = path.slice(0, path.lastIndexOf("/"));
  return parent === "" ? "/" : parent;
}

/** Returns the last part of a path, for a tree. */
export function scopeName(path: string): string {
  return path === "/" ? "Everything" : path.slice(path.lastIndexOf("/") + 1);
}

/** `a, b ,,c` as categories. */
export function categoriesOf(text: string): string[] {
  return [...new Set(text.split(",").map((each) => each.trim()))].filter((each) => each !== "");
}
