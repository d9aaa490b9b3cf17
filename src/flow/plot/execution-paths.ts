// Number of paths through a flow.

export type PathGraph = {
  readonly nodes: readonly string[];
  readonly edges: ReadonlyArray<{ readonly source: string; readonly target: string }>;
  readonly starts: readonly string[];
};

/** More are not counted. */
export const MAX_PATHS = 1_000_000;
/** Steps within cycles after which the count is taken for the most there can be: their number grows exponentially. */
const MAX_STEPS = 200_000;

/**
 * Counts the paths from a start to a node without outgoing edges. Each parallel edge counts; cycles add no path. At
 * least 1, and 0 without a start or an end.
 */
export function countPaths({ nodes, edges, starts }: PathGraph): number {
  const next = new Map<string, string[]>(nodes.map((node) => [node, []]));
  for (const { source, target } of edges) next.get(source)?.push(target);
  const hasEnd = nodes.some((node) => next.get(node)?.length === 0);
  if (starts.length === 0 || !hasEnd) return 0;
  const groups = cyclesOf(nodes, next);
  const known = new Map<string, number>();
  let steps = 0;

  // A path enters a cycle once, so the paths behind a node do not depend on the way to it.
  const from = (node: string): number => {
    const counted = known.get(node);
    if (counted !== undefined) return counted;
    const paths = within(node, new Set());
    known.set(node, paths);
    return paths;
  };
  const within = (node: string, passed: Set<string>): number => {
    const targets = next.get(node) ?? [];
    if (targets.length === 0) return 1;
    if (++steps > MAX_STEPS) return MAX_PATHS;
    passed.add(node);
    let paths = 0;
    for (const target of targets) {
      if (passed.has(target)) continue;
      paths += groups.get(target) === groups.get(node) ? within(target, passed) : from(target);
      if (paths >= MAX_PATHS) break;
    }
    passed.delete(node);
    return Math.min(paths, MAX_PATHS);
  };

  const all = starts.reduce((sum, start) => sum + from(start), 0);
  return Math.min(Math.max(all, 1), MAX_PATHS);
}

/** Returns the cycle number of each node: nodes that reach each other have the same number (Tarjan's algorithm). */
function cyclesOf(
  nodes: readonly string[],
  next: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const order = new Map<string, number>();
  const groups = new Map<string, number>();
  const open: string[] = [];
  let count = 0;
  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    open.push(node);
    let low = index;
    for (const target of next.get(node) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (!groups.has(target)) low = Math.min(low, order.get(target) ?? low);
    }
    if (low === index) {
      count++;
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        groups.set(member, count);
        if (member === node) break;
      }
    }
    return low;
  };
  for (const node of nodes) if (!order.has(node)) visit(node);
  return groups;
}
