import { DAY, HOUR, ROUND_STEPS, SECOND } from "../round-times.ts";

/** Units in which an amount is read: round steps differ. */
export type Unit = "count" | "amount" | "time";

const INTERVALS = 4;

/** Returns the marks of an axis from 0 to at least `most`: round numbers, at most five. */
export function marksOf(most: number, unit: Unit): readonly number[] {
  if (!(most > 0)) return [0];
  const step = stepOf(most / INTERVALS, unit);
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

function stepOf(least: number, unit: Unit): number {
  if (unit === "time" && least > SECOND / 2 && least <= 12 * HOUR)
    return ROUND_STEPS.find((step) => step >= least) ?? DAY;
  if (unit === "count" && least <= 1) return 1;
  const whole = unit === "time" && least > 12 * HOUR ? DAY : 1;
  const power = 10 ** Math.floor(Math.log10(least / whole));
  const round = [1, 2, 5, 10].find((each) => each * power * whole >= least * (1 - 1e-9)) ?? 10;
  return round * power * whole;
}

/** Returns the places of labels along an axis of `count` bars: the last bar always has one. */
export function labelled(count: number, most: number): readonly number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, most)));
  const places: number[] = [];
  for (let place = count - 1; place >= 0; place -= every) places.unshift(place);
  return places;
}
