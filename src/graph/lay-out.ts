// A graph with the places of its nodes and the ways of its edges. Loaded when the first one is asked for.
import type { Graph, GraphNode } from "./graph.ts";
import { withBackLinks } from "./back-links.ts";
import { layoutOf, type Size } from "./graph-layout.ts";

/** Laid out before, by what was laid out: a definition is laid out once in each isolate. */
const laidOut = new Map<string, Graph>();
const MAX_KEPT = 50;

/** Places all nodes of a graph. States and counts are no part of its form. */
export function layOut(graph: Graph): Graph {
  const form = JSON.stringify({
    groups: graph.groups,
    nodes: graph.nodes.map(({ state: _, copied: __, ...node }) => node),
    edges: graph.edges.map(({ count: _, ...edge }) => edge),
  });
  let placed = laidOut.get(form);
  if (placed === undefined) {
    placed = placedGraph(graph);
    laidOut.set(form, placed);
    const [oldest] = laidOut.keys();
    if (laidOut.size > MAX_KEPT && oldest !== undefined) laidOut.delete(oldest);
  }
  const { size, groups, nodes, edges } = placed;
  return {
    ...graph,
    ...(size === undefined ? undefined : { size }),
    groups,
    nodes: graph.nodes.map((node, index) => ({ ...node, ...boxOf(nodes[index]) })),
    edges: graph.edges.map((edge, index) => {
      const { path, back } = edges[index] ?? {};
      return {
        ...edge,
        ...(back === true ? { back } : undefined),
        ...(path === undefined ? undefined : { path }),
      };
    }),
  };
}

/** Nodes of one kind of thing stand in groups only where there are several groups, or the group is named by nothing else. */
function placedGraph(graph: Graph): Graph {
  const starts = graph.nodes.map(({ id, start }) => ({ id, isStart: start === true }));
  const links = withBackLinks(starts, graph.edges);
  const { boxes, groups, ways, width, height } = layoutOf({ nodes: graph.nodes, links }, sizeOf);
  return {
    ...graph,
    size: { width: rounded(width), height: rounded(height) },
    groups: graph.groups.map((group) => ({ ...group, ...roundedBox(groups.get(group.id)) })),
    nodes: graph.nodes.map((node) => ({ ...node, ...roundedBox(boxes.get(node.id)) })),
    edges: graph.edges.map((edge, index) => {
      const link = links[index];
      const path = link && ways.get(link);
      return {
        ...edge,
        ...(link?.isBack === true ? { back: true as const } : undefined),
        ...(path === undefined ? undefined : { path }),
      };
    }),
  };
}

function boxOf({ x, y, width, height }: Partial<GraphNode> = {}): object {
  return x === undefined ? {} : { x, y, width, height };
}

function roundedBox(
  box: (Size & { readonly x: number; readonly y: number }) | undefined,
): object | undefined {
  return (
    box && {
      x: rounded(box.x),
      y: rounded(box.y),
      width: rounded(box.width),
      height: rounded(box.height),
    }
  );
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

const CHARACTER = 7.6;

function sizeOf({ kind, label, sub = "" }: GraphNode): Size {
  if (kind === "join") return { width: 44, height: 22 };
  const longest = Math.max(label.length, sub.length * 0.9);
  const width = Math.min(240, Math.max(kind === "label" ? 48 : 104, longest * CHARACTER + 32));
  if (kind === "label" || kind === "end") return { width, height: 26 };
  return { width, height: sub === "" ? 44 : 58 };
}
