/** How much the first places of a list outweigh the later ones: less, the higher. */
const SMOOTHING = 60;

/**
 * Lists of ids, each best first, made into one by reciprocal rank fusion: what several lists have near their top comes first.
 * Of equals, what the earlier list has higher.
 */
export function fuseRanks(lists: ReadonlyArray<readonly string[]>): string[] {
  const scores = new Map<string, number>();
  for (const list of lists)
    for (const [place, id] of list.entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (SMOOTHING + place + 1));
  return [...scores].toSorted(([, one], [, other]) => other - one).map(([id]) => id);
}
