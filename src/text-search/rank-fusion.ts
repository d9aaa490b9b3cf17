/** Damping of first places in a list: the higher it is, the less they outweigh later ones. */
const SMOOTHING = 60;

/**
 * Merges lists of ids, each best first, by reciprocal rank fusion: ids near the top of several lists come first. In a
 * tie, the order of the earlier list counts.
 */
export function fuseRanks(lists: ReadonlyArray<readonly string[]>): string[] {
  const scores = new Map<string, number>();
  for (const list of lists)
    for (const [place, id] of list.entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (SMOOTHING + place + 1));
  return [...scores].toSorted(([, one], [, other]) => other - one).map(([id]) => id);
}
