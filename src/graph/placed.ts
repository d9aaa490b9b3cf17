import type { Graph, GraphQuery } from "../wire/graph.ts";

/** Laid out before, by their JSON: a definition is laid out once in each isolate. */
const laidOut = new Map<string, Graph>();
const MAX_KEPT = 50;

/** Returns the graph with places, unless the caller excludes them. Loads `layout` on its first use. */
export async function placed(
  graph: Graph,
  query: GraphQuery,
  layout: () => Promise<(graph: Graph) => Graph>,
): Promise<Graph> {
  if (query.layout === "0") return graph;
  const form = JSON.stringify(graph);
  const known = laidOut.get(form);
  if (known !== undefined) return known;
  const layOut = await layout();
  const whole = layOut(graph);
  laidOut.set(form, whole);
  const [oldest] = laidOut.keys();
  if (laidOut.size > MAX_KEPT && oldest !== undefined) laidOut.delete(oldest);
  return whole;
}
