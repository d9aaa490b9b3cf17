import type { Graph, GraphBox, GraphEdge, GraphNode } from "../wire/graph.ts";
import { addedToGraph, type GraphProgress } from "../wire/node-states.ts";
import { sizeOf } from "./node-size.ts";
import { Way } from "./way.ts";

const GAP = 16;
const HEAD = 30;
const FALL = 56;
const MIN_WIDTH = 640;

/**
 * Places the run's additions below its graph, so the graph itself does not move while the run continues. `graph` is
 * laid out, and includes the additions.
 */
export function placeAdded(graph: Graph, definition: Graph, progress: GraphProgress): Graph {
  const { nodes, groups } = addedToGraph(definition, progress);
  const { size } = graph;
  if (size === undefined || nodes.length === 0) return graph;
  const boxes = new Map<string, GraphBox>();
  const frame = { width: Math.max(size.width, MIN_WIDTH), y: size.height + FALL };
  const loose = nodes.filter(({ group }) => group === undefined);
  let { y } = frame;
  if (loose.length > 0) y = placeRow(loose, { x: GAP, y, width: frame.width }, boxes) + FALL;
  for (const { id } of groups) {
    const inside = nodes.filter(({ group }) => group === id);
    const bottom = placeRow(
      inside,
      { x: 2 * GAP, y: y + HEAD, width: frame.width - 2 * GAP },
      boxes,
    );
    boxes.set(`group ${id}`, { x: GAP, y, width: frame.width - 2 * GAP, height: bottom - y + GAP });
    y = bottom + GAP + FALL;
  }
  const added = new Set(nodes.map(({ id }) => id));
  const whole = graph.nodes.map((node) => ({ ...node, ...boxes.get(node.id) }));
  const byId = new Map(whole.map((node) => [node.id, node]));
  return {
    ...graph,
    size: { width: frame.width, height: y - FALL + GAP },
    nodes: whole,
    groups: graph.groups.map((group) => ({ ...group, ...boxes.get(`group ${group.id}`) })),
    edges: graph.edges.map((edge) => (added.has(edge.to) ? { ...edge, ...way(edge, byId) } : edge)),
  };
}

/** Places nodes beside each other, in as many rows as they need. Returns the end of the last one. */
function placeRow(
  nodes: readonly GraphNode[],
  { x, y, width }: Pick<GraphBox, "x" | "y" | "width">,
  boxes: Map<string, GraphBox>,
): number {
  let at = { x, y };
  let bottom = y;
  for (const node of nodes) {
    const size = sizeOf(node);
    if (at.x > x && at.x + size.width > width) at = { x, y: bottom + GAP };
    boxes.set(node.id, { ...at, ...size });
    bottom = Math.max(bottom, at.y + size.height);
    at = { x: at.x + size.width + GAP, y: at.y };
  }
  return bottom;
}

function way(
  { from, to }: GraphEdge,
  nodes: ReadonlyMap<string, GraphNode>,
): { readonly path: string } {
  const [source, target] = [nodes.get(from), nodes.get(to)];
  const begin = new Way(
    (source?.x ?? 0) + (source?.width ?? 0) / 2,
    (source?.y ?? 0) + (source?.height ?? 0),
  );
  begin.bend((target?.x ?? 0) + (target?.width ?? 0) / 2, target?.y ?? 0);
  return { path: begin.toString() };
}
