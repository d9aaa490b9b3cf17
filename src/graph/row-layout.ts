import { withBackLinks } from "./back-links.ts";
import { layoutOf, type Size } from "./graph-layout.ts";
import type { Graph, GraphNode } from "../wire/graph.ts";
import { sizeOf } from "./node-size.ts";
import { roundedSize, withBoxes } from "./rounded.ts";

/** Gives a graph without groups its places, in rows from the starts on. It may have circles. */
export function layInRows(graph: Graph, measure: (node: GraphNode) => Size = sizeOf): Graph {
  const starts = graph.nodes.map(({ id, start }) => ({ id, isStart: start === true }));
  const links = withBackLinks(starts, graph.edges);
  const { boxes, ways, ...size } = layoutOf({ nodes: graph.nodes, links }, measure);
  return {
    ...graph,
    size: roundedSize(size),
    nodes: withBoxes(graph.nodes, boxes),
    edges: links.map((link) => {
      const { isBack, ...edge } = link;
      const path = ways.get(link);
      return {
        ...edge,
        ...(isBack ? { back: true as const } : undefined),
        ...(path === undefined ? undefined : { path }),
      };
    }),
  };
}
