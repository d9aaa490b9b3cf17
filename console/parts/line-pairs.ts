import { diffLines } from "diff";

/** A line of one text beside its counterpart in the other; undefined without one. */
export type LinePair = {
  readonly left?: { readonly number: number; readonly text: string };
  readonly right?: { readonly number: number; readonly text: string };
  readonly isEqual: boolean;
};

/** Compares two texts line by line. A removed line is beside its replacement. */
export function linePairs(one: string, other: string): readonly LinePair[] {
  const pairs: LinePair[] = [];
  let left = 0;
  let right = 0;
  let removed: string[] = [];
  const flush = (added: readonly string[]): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      const old = removed[index];
      const fresh = added[index];
      pairs.push({
        ...(old === undefined ? undefined : { left: { number: ++left, text: old } }),
        ...(fresh === undefined ? undefined : { right: { number: ++right, text: fresh } }),
        isEqual: false,
      });
    }
    removed = [];
  };
  for (const part of diffLines(ended(one), ended(other))) {
    const lines = part.value.split("\n").slice(0, -1);
    if (part.removed) removed = lines;
    else if (part.added) flush(lines);
    else {
      flush([]);
      for (const text of lines)
        pairs.push({
          left: { number: ++left, text },
          right: { number: ++right, text },
          isEqual: true,
        });
    }
  }
  flush([]);
  return pairs;
}

/** A missing line end at the end of a text is no relevant difference. */
function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Number of equal lines around each difference. */
const AROUND = 3;

/** A group of pairs. Equal pairs far from any difference are folded. */
export type PairGroup = { readonly isFolded: boolean; readonly pairs: readonly LinePair[] };

export function foldEqual(pairs: readonly LinePair[]): readonly PairGroup[] {
  const isNear = pairs.map(() => false);
  for (const [index, { isEqual }] of pairs.entries())
    if (!isEqual)
      isNear.fill(true, Math.max(0, index - AROUND), Math.min(pairs.length, index + AROUND + 1));
  const groups: { isFolded: boolean; pairs: LinePair[] }[] = [];
  for (const [index, pair] of pairs.entries()) {
    const isFolded = isNear[index] !== true;
    const last = groups.at(-1);
    if (last !== undefined && last.isFolded === isFolded) last.pairs.push(pair);
    else groups.push({ isFolded, pairs: [pair] });
  }
  return groups;
}
