import type { Graph, GraphQuery } from "./graph.ts";
import { placed } from "./placed.ts";

/** For what branches and comes back, as flows and conversations do. Brings dagre along. */
export function inRows(graph: Graph, query: GraphQuery): Promise<Graph> {
  return placed(graph, query, async () => (await import("./row-layout.ts")).layInRows);
}
