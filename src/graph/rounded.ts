import type { GraphBox } from "../wire/graph.ts";
import type { Size } from "./graph-layout.ts";

/** The size of a graph, to a tenth of a pixel. */
export function roundedSize({ width, height }: Size): Size {
  return { width: rounded(width), height: rounded(height) };
}

/** Each with its place, to a tenth of a pixel. */
export function withBoxes<Each extends { readonly id: string }>(
  items: readonly Each[],
  boxes: ReadonlyMap<string, GraphBox>,
): ReadonlyArray<Each & Partial<GraphBox>> {
  return items.map((item) => ({ ...item, ...roundedBox(boxes.get(item.id)) }));
}

function roundedBox(box: GraphBox | undefined): GraphBox | undefined {
  if (box === undefined) return undefined;
  return { x: rounded(box.x), y: rounded(box.y), ...roundedSize(box) };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
