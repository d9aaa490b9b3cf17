/** Returns the most similar name to a word, if one is similar. */
export function nearestOf(word: string, names: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(word.length / 3));
  const [best] = names
    .map((name) => ({ name, changes: changesBetween(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ changes }) => changes <= most)
    .toSorted((a, b) => a.changes - b.changes);
  return best?.name;
}

/** Returns the number of inserted, removed or changed letters: Levenshtein's distance. */
function changesBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of a.split("").entries()) {
    const next = [index + 1];
    for (const [place, other] of b.split("").entries())
      next.push(
        Math.min(
          (next[place] ?? 0) + 1,
          (row[place + 1] ?? 0) + 1,
          (row[place] ?? 0) + (letter === other ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}
