import type { Graph, GraphQuery } from "./graph.ts";
import { layInLanes } from "./lane-layout.ts";
import { placed } from "./placed.ts";

/** For what several work on, each in a lane of their own: crews, and agents by themselves. */
export function inLanes(graph: Graph, query: GraphQuery): Promise<Graph> {
  return placed(graph, query, async () => layInLanes);
}
