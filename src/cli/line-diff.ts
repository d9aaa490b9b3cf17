// Two texts, line by line.
//
//   LDF1. The lines without `-` are the second text, those without `+` the first, and no more lines are marked than have to be.
//   LDF2. Of long runs of equal lines only those beside a change are left.

export type DiffLine = { readonly sign: "+" | "-" | " "; readonly text: string };

/** Maximum number of line pairs to compare. Beyond it, all differing lines are one block. */
const MAX_PAIRS = 4_000_000;
const KEPT_BESIDE = 2;

/** Returns the differences between two texts, with a few lines around. Empty for equal ones. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const middle = diffed(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return shortened([
    ...a.slice(0, start).map(same),
    ...middle,
    ...a.slice(a.length - end).map(same),
  ]);
}

const same = (text: string): DiffLine => ({ sign: " ", text });
const removed = (text: string): DiffLine => ({ sign: "-", text });
const added = (text: string): DiffLine => ({ sign: "+", text });

/** Uses the longest common subsequence of lines. */
function diffed(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  if (a.length * b.length > MAX_PAIRS) return [...a.map(removed), ...b.map(added)];
  // common[i][j]: number of common lines of a from i and b from j.
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      (common[i] as Uint32Array)[j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ sign: " ", text: a[i] ?? "" });
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push(removed(a[i++] ?? ""));
    else lines.push(added(b[j++] ?? ""));
  }
  return [...lines, ...a.slice(i).map(removed), ...b.slice(j).map(added)];
}

function shortened(lines: readonly DiffLine[]): readonly DiffLine[] {
  const changes = lines.flatMap(({ sign }, index) => (sign === " " ? [] : [index]));
  let next = 0;
  return lines.filter((_, index) => {
    while ((changes[next] ?? Infinity) < index - KEPT_BESIDE) next++;
    return Math.abs((changes[next] ?? Infinity) - index) <= KEPT_BESIDE;
  });
}
