import type { Graph, GraphRequest } from "../wire/graph.ts";
import { placed } from "./placed.ts";

/** Lays out work of several owners, each in a lane of its own: crews, and single agents. */
export function inLanes(graph: Graph, query: GraphRequest): Promise<Graph> {
  return placed(graph, query, async () => (await import("./lane-layout.ts")).layInLanes);
}
