/** The name that is most like a word, if one is. */
export function nearestOf(word: string, names: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(word.length / 3));
  const [best] = names
    .map((name) => ({ name, changes: changesBetween(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ changes }) => changes <= most)
    .toSorted((a, b) => a.changes - b.changes);
  return best?.name;
}

/** How many letters have to be put in, left out or changed: Levenshtein's distance. */
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
