// One time axis for all bars of a run. Long idle times are folded, so an hour of work around a wait of three months
// stays readable.

export type Span = { readonly startMs: number; readonly endMs: number };
export type Fold = Span & { readonly from: number; readonly to: number };
export type Axis = {
  readonly startMs: number;
  readonly endMs: number;
  readonly folds: readonly Fold[];
  /** Place of a moment, from 0 to 1. */
  readonly at: (ms: number) => number;
  /** The moment at a place. */
  readonly msAt: (place: number) => number;
};

/** Width of a fold on the axis. */
const FOLD_WIDTH = 0.06;
const FOLD_OVER = 0.05;

/** Makes the axis. `busy` are the times of steps. Idle time above 5 % of the axis is folded. */
export function makeAxis(busy: readonly Span[], whole: Span): Axis {
  const startMs = whole.startMs;
  const endMs = Math.max(whole.endMs, startMs + 1);
  const idle = idleOf(busy, { startMs, endMs }).filter(
    (span) =>
      span.endMs - span.startMs > (endMs - startMs) * FOLD_OVER && span.endMs - span.startMs > 1000,
  );
  const idleMs = idle.reduce((total, span) => total + span.endMs - span.startMs, 0);
  const foldWidth = Math.min(FOLD_WIDTH, 0.5 / Math.max(1, idle.length));
  const perMs = (1 - foldWidth * idle.length) / Math.max(1, endMs - startMs - idleMs);
  const folds: Fold[] = [];
  let cursorMs = startMs;
  let place = 0;
  for (const span of idle) {
    const from = place + (span.startMs - cursorMs) * perMs;
    place = from + foldWidth;
    cursorMs = span.endMs;
    folds.push({ ...span, from, to: place });
  }
  const scale = { startMs, endMs, folds, perMs };
  return {
    startMs,
    endMs,
    folds,
    at: (ms) => placeOf(ms, scale),
    msAt: (at) => momentAt(at, scale),
  };
}

type Scale = Pick<Axis, "startMs" | "endMs" | "folds"> & { readonly perMs: number };

function momentAt(place: number, { startMs, endMs, folds, perMs }: Scale): number {
  let fromMs = startMs;
  let from = 0;
  for (const fold of folds) {
    if (place < fold.from) break;
    if (place <= fold.to)
      return (
        fold.startMs + ((place - fold.from) / (fold.to - fold.from)) * (fold.endMs - fold.startMs)
      );
    fromMs = fold.endMs;
    from = fold.to;
  }
  return Math.min(endMs, fromMs + (place - from) / perMs);
}

function placeOf(ms: number, { startMs, endMs, folds, perMs }: Scale): number {
  const moment = Math.min(Math.max(ms, startMs), endMs);
  let fromMs = startMs;
  let from = 0;
  for (const fold of folds) {
    if (moment < fold.startMs) break;
    if (moment <= fold.endMs)
      return (
        fold.from + ((moment - fold.startMs) / (fold.endMs - fold.startMs)) * (fold.to - fold.from)
      );
    fromMs = fold.endMs;
    from = fold.to;
  }
  return Math.min(1, from + (moment - fromMs) * perMs);
}

/** Returns the parts of `whole` without a span. */
export function idleOf(busy: readonly Span[], whole: Span): readonly Span[] {
  const idle: Span[] = [];
  let reached = whole.startMs;
  for (const span of busy.toSorted((one, other) => one.startMs - other.startMs)) {
    if (span.startMs > reached)
      idle.push({ startMs: reached, endMs: Math.min(span.startMs, whole.endMs) });
    reached = Math.max(reached, span.endMs);
  }
  if (reached < whole.endMs) idle.push({ startMs: reached, endMs: whole.endMs });
  return idle;
}
