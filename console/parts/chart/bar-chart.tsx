import { labelled, marksOf, type Unit } from "./scale.ts";

/** Colours of a bar's part. */
export type Tone = "accent" | "good" | "bad" | "calm";

export type ChartBar = {
  readonly at: string;
  /** From the bottom. */
  readonly parts: readonly { readonly tone: Tone; readonly amount: number }[];
  /** Text of the bar for a pointer and for screen readers; empty for a bar without data. */
  readonly text: string;
};

type Props = {
  readonly label: string;
  readonly bars: readonly ChartBar[];
  readonly unit: Unit;
  /** Writes an amount at a mark of the scale. */
  readonly write: (amount: number) => string;
  readonly isTall?: boolean;
};

const MAX_LABELS = { tall: 10, small: 4 } as const;
/** In percent of the chart: a chart of one month is no wall. */
const MAX_BAR_WIDTH = 14;

/** Bars over time with a scale and dates. The same numbers are a list for screen readers. */
export function BarChart({ label, bars, unit, write, isTall = false }: Props) {
  const most = Math.max(0, ...bars.map(amountOf));
  const marks = marksOf(most, unit);
  const top = marks.at(-1) ?? 0;
  const step = 100 / Math.max(1, bars.length);
  const width = Math.min(step * 0.72, MAX_BAR_WIDTH);
  const labels = labelled(bars.length, isTall ? MAX_LABELS.tall : MAX_LABELS.small);
  return (
    <figure
      className={`chart${isTall ? " tall" : ""}${most === 0 ? " flat" : ""}`}
      aria-label={label}
    >
      <div className="chart-plot" aria-hidden="true">
        {marks.map((mark) => (
          <span
            key={mark}
            className="chart-mark"
            style={{ bottom: top === 0 ? 0 : `${(mark / top) * 100}%` }}
          >
            <span>{write(mark)}</span>
          </span>
        ))}
        <svg viewBox="0 0 100 100" preserveAspectRatio="none">
          {bars.map((bar, index) => (
            <g key={bar.at}>
              <rect className="chart-hit" x={index * step} y={0} width={step} height={100}>
                <title>{`${bar.at}: ${bar.text === "" ? "nothing" : bar.text}`}</title>
              </rect>
              {stacked(bar, top).map(({ tone, y, height }) => (
                <rect
                  key={tone}
                  className={`chart-bar ${tone}`}
                  x={index * step + (step - width) / 2}
                  y={y}
                  width={width}
                  height={height}
                />
              ))}
            </g>
          ))}
        </svg>
      </div>
      <div className="chart-dates" aria-hidden="true">
        {labels.map((place) => (
          <span key={place} style={{ left: `${(place + 0.5) * step}%` }}>
            {dateOf(bars[place]?.at ?? "")}
          </span>
        ))}
      </div>
      <ul className="unseen">
        {bars
          .filter(({ text }) => text !== "")
          .map(({ at, text }) => (
            <li key={at}>
              {at}: {text}
            </li>
          ))}
      </ul>
    </figure>
  );
}

function amountOf({ parts }: ChartBar): number {
  return parts.reduce((sum, { amount }) => sum + amount, 0);
}

/** Parts of a bar on a scale from 0 to 100, downwards as in SVG. */
function stacked({ parts }: ChartBar, top: number) {
  let y = 100;
  return parts
    .filter(({ amount }) => amount > 0)
    .map(({ tone, amount }) => {
      const height = (amount / top) * 100;
      y -= height;
      return { tone, y, height };
    });
}

/** `Nov 4`, or `2026-11` for a month. */
function dateOf(at: string): string {
  if (at.length < 10) return at;
  const date = new Date(`${at.slice(0, 10)}T00:00:00Z`);
  return date.toLocaleDateString("en", { month: "short", day: "numeric", timeZone: "UTC" });
}
