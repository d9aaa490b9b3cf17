import { formatCost, formatCount } from "../../parts/format.ts";
import type { Bar, Measure } from "./sums.ts";

const WIDTH = 900;
const HEIGHT = 180;
const FOOT = 22;
const MAX_LABELS = 10;

type Props = { readonly bars: readonly Bar[]; readonly show: Measure };

/** Bars over time, each with its number on hover, and the same data as a list for screen readers. */
export function UsageBars({ bars, show }: Props) {
  const amountOf = ({ totals }: Bar): number =>
    show === "cost" ? totals.costUsd : totals.totalTokens;
  const text = (bar: Bar): string =>
    show === "cost" ? formatCost(amountOf(bar)) : formatCount(amountOf(bar));
  const most = Math.max(...bars.map(amountOf), 0);
  const step = WIDTH / Math.max(1, bars.length);
  const each = Math.ceil(bars.length / MAX_LABELS);
  return (
    <>
      <p className="small soft usage-most">
        Highest: {show === "cost" ? formatCost(most) : formatCount(most)}
      </p>
      <svg
        className="usage-bars"
        viewBox={`0 0 ${WIDTH} ${HEIGHT + FOOT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <line x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        {bars.map((bar, index) => {
          const height = most === 0 ? 0 : (amountOf(bar) / most) * (HEIGHT - 8);
          return (
            <rect
              key={bar.at}
              x={index * step + step * 0.12}
              y={HEIGHT - height}
              width={step * 0.76}
              height={height}
            >
              <title>{`${bar.at}: ${text(bar)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className="usage-days small soft" aria-hidden="true">
        {bars
          .filter((_, index) => index % each === 0)
          .map(({ at }) => (
            <span key={at}>{at.slice(5) === "" ? at : at.slice(at.length > 7 ? 5 : 0)}</span>
          ))}
      </div>
      <ul className="unseen">
        {bars
          .filter((bar) => amountOf(bar) > 0)
          .map((bar) => (
            <li key={bar.at}>
              {bar.at}: {text(bar)}
            </li>
          ))}
      </ul>
    </>
  );
}
