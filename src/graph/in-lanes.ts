import type { Graph, GraphQuery } from "../wire/graph.ts";
import { placed } from "./placed.ts";

/** Lays out work of several owners, each in a lane of its own: crews, and single agents. */
export function inLanes(graph: Graph, query: GraphQuery): Promise<Graph> {
  return placed(graph, query, async () => (await import("./lane-layout.ts")).layInLanes);
}
