import type { Graph } from "../wire/graph.ts";
import type { Transport } from "./transport.ts";

/** Options of a graph. */
export type GraphOptions = {
  /** Adds coordinates. @default true */
  readonly layout?: boolean;
};

/** Reads the graph at this path. */
export function graphFrom(
  transport: Transport,
  path: string,
  { layout = true }: GraphOptions,
): Promise<Graph> {
  return transport.json<Graph>(`${path}/graph`, { query: { layout: layout ? undefined : 0 } });
}
