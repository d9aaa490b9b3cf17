// Finds the back links of a graph: links to nodes already passed.

type Link = { readonly from: string; readonly to: string };

/**
 * Marks the links that lead back. Links leading away from the starts are added first, and those leading back the
 * furthest last; a link that then closes a circle leads back.
 */
export function withBackLinks<Each extends Link>(
  nodes: readonly { readonly id: string; readonly isStart: boolean }[],
  links: readonly Each[],
): ReadonlyArray<Each & { readonly isBack: boolean }> {
  const distances = distancesIn(nodes, links);
  const gain = ({ from, to }: Link): number =>
    (distances.get(to) ?? 0) - (distances.get(from) ?? 0);
  const next = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  const leadsTo = (from: string, to: string, passed = new Set<string>()): boolean => {
    if (from === to) return true;
    if (passed.has(from)) return false;
    passed.add(from);
    return (next.get(from) ?? []).some((each) => leadsTo(each, to, passed));
  };
  const back = new Set<Link>();
  for (const link of links.toSorted((a, b) => gain(b) - gain(a))) {
    // A link leading away from the starts on the shortest path cannot close a circle.
    if (gain(link) <= 0 && leadsTo(link.to, link.from)) back.add(link);
    else next.get(link.from)?.push(link.to);
  }
  return links.map((link) => ({ ...link, isBack: back.has(link) }));
}

/** Returns the distance of each node from the starts, in links; nodes unreachable from any start begin again at 0. */
function distancesIn(
  nodes: readonly { readonly id: string; readonly isStart: boolean }[],
  links: readonly Link[],
): ReadonlyMap<string, number> {
  const next = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { from, to } of links) next.get(from)?.push(to);
  const distances = new Map<string, number>();
  const spread = (from: readonly string[]): void => {
    for (const id of from) distances.set(id, 0);
    const reached = [...from];
    for (const id of reached) {
      for (const to of next.get(id) ?? []) {
        if (distances.has(to)) continue;
        distances.set(to, (distances.get(id) ?? 0) + 1);
        reached.push(to);
      }
    }
  };
  spread(nodes.filter(({ isStart }) => isStart).map(({ id }) => id));
  for (const { id } of nodes) if (!distances.has(id)) spread([id]);
  return distances;
}
