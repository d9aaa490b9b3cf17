import type { Graph, GraphRequest } from "../wire/graph.ts";
import { placed } from "./placed.ts";

/** Lays out work with branches and loops, as in flows and conversations. Loads dagre. */
export function inRows(graph: Graph, query: GraphRequest): Promise<Graph> {
  return placed(graph, query, async () => (await import("./row-layout.ts")).layInRows);
}
