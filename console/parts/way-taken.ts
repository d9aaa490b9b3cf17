import type { Graph, GraphNode } from "../api-types.ts";

/** Ids of the nodes and edges that a run has reached. */
export type WayTaken = { readonly nodes: ReadonlySet<string>; readonly edges: ReadonlySet<string> };

/**
 * Returns the way of a run through its graph. The run counts labels of routers and turns of speakers. Any other edge is
 * taken when both its ends were reached. Joins and labels have no state: they are reached by an edge.
 */
export function wayTaken({ nodes, edges }: Pick<Graph, "nodes" | "edges">): WayTaken {
  const reached = new Set(nodes.filter(hasBegun).map(({ id }) => id));
  const finished = new Set(nodes.filter(hasFinished).map(({ id }) => id));
  const stateless = new Set(nodes.filter(({ state }) => state === undefined).map(({ id }) => id));
  const taken = new Set(edges.filter(({ count = 0 }) => count > 0).map(({ id }) => id));
  for (let before = -1; before !== taken.size + reached.size;) {
    before = taken.size + reached.size;
    for (const { id, from, to, kind } of edges) {
      const isFree =
        !isCounted(kind) && (finished.has(from) || (stateless.has(from) && reached.has(from)));
      if (isFree && (reached.has(to) || stateless.has(to))) taken.add(id);
      if (taken.has(id) && stateless.has(to) && isOpen(to)) reached.add(to);
    }
  }
  return { nodes: reached, edges: taken };

  /** A join of all needs all its edges. */
  function isOpen(node: string): boolean {
    const into = edges.filter(({ to }) => to === node);
    return into.every(({ id, kind }) => kind !== "all" || taken.has(id));
  }
}

/** A method that ran before has finished at least once. */
function hasFinished({ state }: GraphNode): boolean {
  return state?.state === "done" || (state?.count ?? 0) > 1;
}

function isCounted(kind: string): boolean {
  return kind === "routes" || kind === "hands-off";
}

function hasBegun({ state }: GraphNode): boolean {
  return state !== undefined && state.state !== "idle" && state.state !== "skipped";
}
