import type { Graph, GraphAddition, GraphNode, GraphRequest } from "../wire/graph.ts";
import type { Size } from "./graph-layout.ts";

/** Gives a graph its places, with boxes of the returned sizes. */
type LayOut = (graph: Graph, sizeOf: (node: GraphNode) => Size) => Graph;

/** Laid out before, by their JSON: a definition is laid out once in each isolate. */
const laidOut = new Map<string, Graph>();
const MAX_KEPT = 50;
const NOTHING: GraphAddition = { nodes: [], groups: [], edges: [] };

/** Returns the graph with places, unless the caller excludes them. Loads `layout` on its first use. */
export async function placed(
  graph: Graph,
  query: GraphRequest,
  layout: () => Promise<LayOut>,
): Promise<Graph> {
  if (query.layout === "0") return graph;
  const { added = NOTHING } = query;
  const form = JSON.stringify([graph, added]);
  const known = laidOut.get(form);
  if (known !== undefined) return known;
  const [layOut, { Nested }] = await Promise.all([layout(), import("./nested.ts")]);
  const nested = new Nested(added);
  const whole = nested.placed(layOut(graph, nested.sizeOf));
  laidOut.set(form, whole);
  const [oldest] = laidOut.keys();
  if (laidOut.size > MAX_KEPT && oldest !== undefined) laidOut.delete(oldest);
  return whole;
}
