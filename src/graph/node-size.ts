import type { GraphNode } from "../wire/graph.ts";
import type { Size } from "./graph-layout.ts";

/** Average width of a letter. */
const LETTER = 7.6;

/** The size of a node: as wide as its longer line, within bounds. */
export function sizeOf({ kind, label, sub = "" }: GraphNode): Size {
  if (kind === "join" && sub === "")
    return { width: Math.max(44, label.length * LETTER + 20), height: 22 };
  const longest = Math.max(label.length, sub.length * 0.9);
  const width = Math.min(240, Math.max(kind === "label" ? 48 : 104, longest * LETTER + 32));
  if (kind === "label" || kind === "end") return { width, height: 26 };
  return { width, height: sub === "" ? 44 : 58 };
}
