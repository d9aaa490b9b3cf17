import { useMemo } from "react";
import { formatDuration } from "../../parts/format.ts";
import type { Span } from "./axis.ts";
import type { RunAxis } from "./use-axis.ts";

const BINS = 160;
const STEPS = 1000;

type Props = RunAxis & {
  readonly range: Span | undefined;
  readonly onRange: (range: Span | undefined) => void;
};

/** The whole run in small: the amount of work over time, and two handles around the part in the bars. */
export function Brush({ axis, busy, range, onRange }: Props) {
  const outline = useMemo(() => outlineOf({ axis, busy }), [axis, busy]);
  const placeOf = (ms: number): number => Math.round(axis.at(ms) * STEPS);
  const from = range === undefined ? 0 : placeOf(range.startMs);
  const to = range === undefined ? STEPS : placeOf(range.endMs);
  const set = (nextFrom: number, nextTo: number): void => {
    const isWhole = nextFrom <= 0 && nextTo >= STEPS;
    if (nextTo - nextFrom < 5) return;
    const at = (place: number): number => axis.msAt(place / STEPS);
    onRange(isWhole ? undefined : { startMs: at(nextFrom), endMs: at(nextTo) });
  };
  const said = (place: number): string =>
    `${formatDuration(axis.msAt(place / STEPS) - axis.startMs)} after the start`;
  return (
    <div className="brush" role="group" aria-label="Part of the run that is shown">
      <div className="brush-strip">
        <svg viewBox={`0 0 ${BINS} 20`} preserveAspectRatio="none" aria-hidden="true">
          <path d={outline} />
        </svg>
        <span
          className="brush-range"
          style={{
            insetInlineStart: `${from / (STEPS / 100)}%`,
            width: `${(to - from) / (STEPS / 100)}%`,
          }}
        />
        <input
          type="range"
          min={0}
          max={STEPS}
          value={from}
          aria-label="Show from"
          aria-valuetext={said(from)}
          onChange={(event) => set(event.target.valueAsNumber, to)}
        />
        <input
          type="range"
          min={0}
          max={STEPS}
          value={to}
          aria-label="Show up to"
          aria-valuetext={said(to)}
          onChange={(event) => set(from, event.target.valueAsNumber)}
        />
      </div>
      <button
        type="button"
        className="button small plain"
        disabled={range === undefined}
        onClick={() => onRange(undefined)}
      >
        {range === undefined ? "Whole run" : formatDuration(range.endMs - range.startMs)}
        {range !== undefined && " · show all"}
      </button>
    </div>
  );
}

/** The path of an area: how many steps ran at once, in each part of the axis. */
function outlineOf({ axis, busy }: RunAxis): string {
  const changes = Array.from({ length: BINS + 1 }, () => 0);
  for (const { startMs, endMs } of busy) {
    const first = Math.min(BINS - 1, Math.floor(axis.at(startMs) * BINS));
    const last = Math.min(BINS - 1, Math.floor(axis.at(endMs) * BINS));
    changes[first] = (changes[first] ?? 0) + 1;
    changes[last + 1] = (changes[last + 1] ?? 0) - 1;
  }
  let running = 0;
  const heights = changes.slice(0, BINS).map((change) => (running += change));
  const most = Math.max(1, ...heights);
  return `M0 20${heights
    .map((height, bin) => `V${20 - (height / most) * 18}H${bin + 1}`)
    .join("")}V20Z`;
}
