import type { Graph, GraphNode } from "../api-types.ts";

/**
 * Returns the node in the direction of an arrow key: along an edge, forwards with down and right, back with up and
 * left; else a neighbour.
 */
export function nextNode(graph: Graph, from: GraphNode, key: string): GraphNode | undefined {
  const isForward = key === "ArrowDown" || key === "ArrowRight";
  if (!isForward && key !== "ArrowUp" && key !== "ArrowLeft") return undefined;
  const ids = graph.edges.flatMap((edge) =>
    isForward ? (edge.from === from.id ? [edge.to] : []) : edge.to === from.id ? [edge.from] : [],
  );
  const along = ids
    .map((id) => graph.nodes.find((node) => node.id === id))
    .filter((node) => node !== undefined);
  const horizontal = key === "ArrowLeft" || key === "ArrowRight";
  const best = along.toSorted((one, other) =>
    horizontal
      ? Math.abs(other.x - from.x) - Math.abs(one.x - from.x)
      : Math.abs(one.x - from.x) - Math.abs(other.x - from.x),
  )[0];
  return best ?? graph.nodes[graph.nodes.indexOf(from) + (isForward ? 1 : -1)];
}
