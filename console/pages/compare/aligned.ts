// The journals of two runs side by side, aligned by key.
import type { StepRow } from "../../api-types.ts";

export type AlignedRow = {
  readonly key: string;
  readonly left: StepRow | undefined;
  readonly right: StepRow | undefined;
  readonly how: "same" | "changed" | "left" | "right";
};

/**
 * Pairs the rows of two runs, in the order of the left one. A row that only the right run has follows its predecessor
 * there.
 */
export function aligned(
  left: readonly StepRow[],
  right: readonly StepRow[],
): readonly AlignedRow[] {
  const lefts = new Map(left.map((step) => [step.key, step]));
  const rights = new Map(right.map((step) => [step.key, step]));
  const after = new Map<string, StepRow[]>();
  let anchor = "";
  for (const step of right) {
    if (lefts.has(step.key)) anchor = step.key;
    else after.set(anchor, [...(after.get(anchor) ?? []), step]);
  }
  const added = (key: string): readonly AlignedRow[] =>
    (after.get(key) ?? []).map((step) => ({
      key: step.key,
      left: undefined,
      right: step,
      how: "right",
    }));
  return [
    ...added(""),
    ...left.flatMap((step): readonly AlignedRow[] => {
      const other = rights.get(step.key);
      const how = other === undefined ? "left" : isSame(step, other) ? "same" : "changed";
      return [{ key: step.key, left: step, right: other, how }, ...added(step.key)];
    }),
  ];
}

/** Compares fingerprints if the Worker has them, else the facts known without loading a result. */
function isSame(one: StepRow, other: StepRow): boolean {
  if (one.state !== other.state) return false;
  if (one.hash !== undefined && other.hash !== undefined) return one.hash === other.hash;
  return one.bytes === other.bytes;
}

export type Part = { readonly rows: readonly AlignedRow[]; readonly isEqual: boolean };

/** Groups adjacent equal rows, to fold them. */
export function inParts(rows: readonly AlignedRow[]): readonly Part[] {
  const parts: { rows: AlignedRow[]; isEqual: boolean }[] = [];
  for (const row of rows) {
    const isEqual = row.how === "same";
    const last = parts.at(-1);
    if (last?.isEqual === isEqual) last.rows.push(row);
    else parts.push({ rows: [row], isEqual });
  }
  return parts;
}
