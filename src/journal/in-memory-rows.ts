// Queries over the rows of an in-memory journal, in the order of their start.
import { addUsage, NO_USAGE } from "../base/usage.ts";
import type { StepQuery, StepSummary, UsageOf } from "./journal-store.ts";
import { payerOf } from "./payer.ts";

type Row = Omit<StepSummary, "bytes">;

/** See `JournalStore.usageBy`. */
export function usageBy(rows: Iterable<Row>): readonly UsageOf[] {
  const sums = new Map<string, UsageOf>();
  for (const row of rows) {
    if (row.usage === null) continue;
    const payer = payerOf(row);
    const name = JSON.stringify(payer);
    const usage = addUsage(sums.get(name)?.usage ?? NO_USAGE, row.usage);
    sums.set(name, { ...payer, usage });
  }
  return [...sums.values()];
}

/** See `JournalStore.page`. */
export function pageOfRows<Kept extends Row>(
  rows: ReadonlyMap<string, Kept>,
  { order, after, limit, under, depth, kinds, states, text = "" }: StepQuery,
): readonly Kept[] {
  const below = under === undefined ? "" : `${under}/`;
  const isInside = ({ key }: Row): boolean => key.startsWith(below);
  const levelOf = (row: Row): number => {
    const parent = row.parent === null ? undefined : rows.get(row.parent);
    return parent === undefined || !isInside(parent) ? 1 : levelOf(parent) + 1;
  };
  const isAfter = ({ startedSeq }: Row): boolean =>
    after === undefined || (order === "asc" ? startedSeq > after : startedSeq < after);
  const isWanted = (row: Row): boolean =>
    isAfter(row) &&
    isInside(row) &&
    (kinds?.includes(row.kind) ?? true) &&
    (states?.includes(row.state) ?? true) &&
    row.key.includes(text) &&
    (depth === undefined || levelOf(row) <= depth);
  const all = [...rows.values()];
  return (order === "asc" ? all : all.toReversed()).filter(isWanted).slice(0, limit);
}

/** See `JournalStore.children`. */
export function childrenIn(rows: Iterable<Row>): {
  readonly total: number;
  readonly open: number;
} {
  const all = new Set<string>();
  const open = new Set<string>();
  for (const { wait, state } of rows) {
    if (wait?.runId === undefined) continue;
    all.add(wait.runId);
    if (state === "waiting") open.add(wait.runId);
  }
  return { total: all.size, open: open.size };
}
