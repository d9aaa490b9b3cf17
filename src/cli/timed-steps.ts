import type { Clock } from "../base/clock.ts";

/** Prints each step of a start before it begins, with the seconds since the first. */
export function timedSteps(clock: Clock, show: (line: string) => void): (step: string) => void {
  const begunAtMs = clock.now();
  return (step) => {
    const seconds = ((clock.now() - begunAtMs) / 1_000).toFixed(1);
    show(`${seconds.padStart(5)} s  ${step} …`);
  };
}
