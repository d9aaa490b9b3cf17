// Round times on the axis of a run.
import { formatDuration } from "../../parts/format.ts";
import { DAY, MINUTE, ROUND_STEPS, SECOND } from "../../parts/round-times.ts";
import type { Axis } from "./axis.ts";

const STEPS_MS: readonly number[] = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...ROUND_STEPS,
  ...[1, 2, 7, 30, 90, 365].map((count) => count * DAY),
];
/** Minimum distance of two ticks, as a part of the axis. */
const MIN_DISTANCE = 0.17;

/** A time since the start of the run, and its place on the axis, from 0 to 1. */
export type Tick = { readonly ms: number; readonly place: number };

/** Returns the round times on the visible part of the axis, at equal distances, none in a fold. */
export function ticksOf(axis: Axis, beganMs: number): readonly Tick[] {
  const { startMs, endMs, folds } = axis;
  const folded = folds.reduce(
    (sum, fold) => ({
      ms: sum.ms + fold.endMs - fold.startMs,
      width: sum.width + fold.to - fold.from,
    }),
    { ms: 0, width: 0 },
  );
  const perMs = (1 - folded.width) / Math.max(1, endMs - startMs - folded.ms);
  const stepMs = STEPS_MS.find((ms) => ms * perMs >= MIN_DISTANCE) ?? Infinity;
  const nextFrom = (ms: number): number => Math.max(0, Math.ceil((ms - beganMs) / stepMs)) * stepMs;
  const ticks: Tick[] = [];
  for (let ms = nextFrom(startMs); beganMs + ms <= endMs; ms += stepMs) {
    const fold = folds.find((each) => each.startMs < beganMs + ms && beganMs + ms < each.endMs);
    if (fold === undefined) ticks.push({ ms, place: axis.at(beganMs + ms) });
    else ms = nextFrom(fold.endMs) - stepMs;
  }
  return Number.isFinite(stepMs) ? ticks : [{ ms: Math.max(0, startMs - beganMs), place: 0 }];
}

/** `0`, `500 ms`, `2 s`, `1 min 30 s`. */
export function tickText(ms: number): string {
  if (ms === 0) return "0";
  return ms < MINUTE && ms % SECOND === 0 ? `${ms / SECOND} s` : formatDuration(ms);
}

/** Lines behind the bars, as a CSS background. */
export function gridOf(ticks: readonly Tick[]): string {
  if (ticks.length === 0) return "none";
  return ticks
    .map(
      ({ place }) =>
        `linear-gradient(var(--grid-line), var(--grid-line)) ${(place * 100).toFixed(2)}% 0 / 1px 100% no-repeat`,
    )
    .join(", ");
}
