import type { Graph } from "../graph/graph.ts";
import type { Transport } from "./transport.ts";

/** What is wanted of a graph. */
export type GraphOptions = {
  /** Coordinates for all of it. @default true */
  readonly layout?: boolean;
};

/** The graph of what has this path. */
export function graphFrom(
  transport: Transport,
  path: string,
  { layout = true }: GraphOptions,
): Promise<Graph> {
  return transport.json<Graph>(`${path}/graph`, { query: { layout: layout ? undefined : 0 } });
}
