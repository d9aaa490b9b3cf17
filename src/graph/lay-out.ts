// A graph with the places of its nodes and the ways of its edges. Loaded when the first one is asked for.
import { withBackLinks } from "./back-links.ts";
import { layoutOf } from "./graph-layout.ts";
import type { Graph, GraphBox } from "./graph.ts";
import { laneLayout } from "./lane-layout.ts";
import { sizeOf } from "./node-size.ts";

export { placeAdded } from "./place-added.ts";

/** Laid out before, by their JSON: a definition is laid out once in each isolate. */
const laidOut = new Map<string, Graph>();
const MAX_KEPT = 50;

/** Places all nodes of a graph: those of several groups in lanes. */
export function layOut(graph: Graph): Graph {
  const form = JSON.stringify(graph);
  const known = laidOut.get(form);
  if (known !== undefined) return known;
  const placed = graph.groups.length > 0 ? inLanes(graph) : inRows(graph);
  laidOut.set(form, placed);
  const [oldest] = laidOut.keys();
  if (laidOut.size > MAX_KEPT && oldest !== undefined) laidOut.delete(oldest);
  return placed;
}

function inLanes(graph: Graph): Graph {
  const { boxes, groups, ways, width, height } = laneLayout(graph, sizeOf);
  return {
    ...graph,
    size: { width: rounded(width), height: rounded(height) },
    groups: graph.groups.map((group) => ({ ...group, ...roundedBox(groups.get(group.id)) })),
    nodes: graph.nodes.map((node) => ({ ...node, ...roundedBox(boxes.get(node.id)) })),
    edges: graph.edges.map((edge) => ({ ...edge, ...pathOf(ways.get(edge)) })),
  };
}

function inRows(graph: Graph): Graph {
  const starts = graph.nodes.map(({ id, start }) => ({ id, isStart: start === true }));
  const links = withBackLinks(starts, graph.edges);
  const { boxes, ways, width, height } = layoutOf({ nodes: graph.nodes, links }, sizeOf);
  return {
    ...graph,
    size: { width: rounded(width), height: rounded(height) },
    nodes: graph.nodes.map((node) => ({ ...node, ...roundedBox(boxes.get(node.id)) })),
    edges: links.map((link) => {
      const { isBack, ...edge } = link;
      const back = isBack ? { back: true as const } : undefined;
      return { ...edge, ...back, ...pathOf(ways.get(link)) };
    }),
  };
}

function pathOf(path: string | undefined): { readonly path: string } | undefined {
  return path === undefined ? undefined : { path };
}

function roundedBox(box: GraphBox | undefined): GraphBox | undefined {
  if (box === undefined) return undefined;
  const { x, y, width, height } = box;
  return { x: rounded(x), y: rounded(y), width: rounded(width), height: rounded(height) };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
