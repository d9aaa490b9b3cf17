// The graph of a definition, and of a run, as answers of the API.
import * as z from "zod";
import { operation, type Operation } from "../parts/operation.ts";
import type { Graph, GraphQuery } from "../wire/graph.ts";
import { graphShape } from "../parts/graph-shape.ts";

export const graphQuery = z.strictObject({
  layout: z.enum(["0", "1"]).optional().describe("0 leaves out coordinates. Default 1."),
});

export const GRAPH_ANSWER = { 200: { description: "The graph", shape: graphShape } } as const;

/** `GET /<subjects>/{name}/graph`. */
export function graphOperation({
  find,
  what,
  ...shared
}: {
  readonly id: string;
  readonly path: `/${string}/{name}/graph`;
  readonly group: string;
  readonly subject: string;
  /** Name in the documentation, such as `a crew`. */
  readonly what: string;
  /** Throws `not_found`. */
  readonly find: (tenant: string, name: string, query: GraphQuery) => Promise<Graph>;
}): Operation {
  return operation({
    ...shared,
    method: "get",
    scope: "read",
    summary: `Show ${what} as a graph`,
    description: "Nodes and edges with coordinates, in the common form of graphs.",
    query: graphQuery,
    answers: GRAPH_ANSWER,
    problems: [400, 404],
    handle: async ({ tenant, params: { name = "" }, query }) => ({
      status: 200,
      json: await find(tenant, name, query),
    }),
  });
}
