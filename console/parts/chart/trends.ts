// Runs and consumption of the last days, as four charts.
import type { RunSum, UsageSum } from "../../../src/usage/usage-sums.ts";
import { formatCost, formatCount, formatDuration } from "../format.ts";
import type { ChartBar } from "./bar-chart.tsx";
import type { Unit } from "./scale.ts";

export type Trend = {
  readonly label: string;
  /** Number of the whole time. */
  readonly total: string;
  readonly note?: string;
  readonly bars: readonly ChartBar[];
  readonly unit: Unit;
  readonly write: (amount: number) => string;
};

export const TREND_DAYS = 14;
const DAY_MS = 86_400_000;

/** The first of the last 14 days, UTC. */
export function trendStart(nowMs: number): string {
  return new Date(nowMs - (TREND_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
}

type RunDay = Pick<RunSum, "at" | "completed" | "failed" | "cancelled" | "runMs">;
type UsageDay = Pick<UsageSum, "at" | "totalTokens" | "costUsd">;
type Sums = { readonly runs: readonly RunDay[]; readonly usage: readonly UsageDay[] };

/** Returns the charts of success, duration, tokens and cost, with a bar for each of the last 14 days. */
export function trendsOf({ runs, usage }: Sums, nowMs: number): readonly Trend[] {
  const firstMs = Date.parse(trendStart(nowMs));
  const days = Array.from({ length: TREND_DAYS }, (_, day) =>
    new Date(firstMs + day * DAY_MS).toISOString().slice(0, 10),
  );
  const runsOf = (day: string): RunDay => runSum(runs.filter(({ at }) => at.startsWith(day)));
  const usageOf = (day: string): UsageDay => usageSum(usage.filter(({ at }) => at.startsWith(day)));
  const whole = runSum(runs);
  const used = usageSum(usage);
  const inTime = (of: (day: string) => number, write: (amount: number) => string) =>
    days.map((at): ChartBar => {
      const amount = of(at);
      return { at, parts: [{ tone: "accent", amount }], text: amount === 0 ? "" : write(amount) };
    });
  return [
    {
      label: "Runs that ended",
      total: formatCount(endedOf(whole)),
      ...(endedOf(whole) === 0
        ? undefined
        : { note: `${Math.round((whole.completed / endedOf(whole)) * 100)} % completed` }),
      unit: "count",
      write: formatCount,
      bars: days.map((at) => {
        const { completed, failed, cancelled } = runsOf(at);
        return {
          at,
          parts: [
            { tone: "good", amount: completed },
            { tone: "bad", amount: failed },
            { tone: "calm", amount: cancelled },
          ],
          text: inWordsOf({ completed, failed, cancelled }),
        };
      }),
    },
    {
      label: "Average duration",
      total: endedOf(whole) === 0 ? "–" : formatDuration(averageOf(whole)),
      unit: "time",
      write: formatMark,
      bars: inTime((day) => averageOf(runsOf(day)), formatDuration),
    },
    {
      label: "Tokens",
      total: formatCount(used.totalTokens),
      unit: "count",
      write: formatShort,
      bars: inTime((day) => usageOf(day).totalTokens, formatCount),
    },
    {
      label: "Cost",
      total: formatCost(used.costUsd),
      unit: "amount",
      write: formatCost,
      bars: inTime((day) => usageOf(day).costUsd, formatCost),
    },
  ];
}

function runSum(rows: readonly RunDay[]): RunDay {
  return rows.reduce<RunDay>(
    (sum, each) => ({
      at: "",
      completed: sum.completed + each.completed,
      failed: sum.failed + each.failed,
      cancelled: sum.cancelled + each.cancelled,
      runMs: sum.runMs + each.runMs,
    }),
    { at: "", completed: 0, failed: 0, cancelled: 0, runMs: 0 },
  );
}

function usageSum(rows: readonly UsageDay[]): UsageDay {
  return {
    at: "",
    totalTokens: rows.reduce((sum, { totalTokens }) => sum + totalTokens, 0),
    costUsd: rows.reduce((sum, { costUsd }) => sum + costUsd, 0),
  };
}

function endedOf({ completed, failed, cancelled }: Omit<RunDay, "at" | "runMs">): number {
  return completed + failed + cancelled;
}

function averageOf(day: RunDay): number {
  const ended = endedOf(day);
  return ended === 0 ? 0 : day.runMs / ended;
}

function inWordsOf(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${formatCount(count)} ${word}`)
    .join(", ");
}

/** `15 s`, for the marks of a scale. */
function formatMark(ms: number): string {
  return ms === 0 ? "0" : formatDuration(ms).replace(".0", "");
}

const short = new Intl.NumberFormat("en", { notation: "compact" });

/** `12K`, for the marks of a scale. */
export function formatShort(amount: number): string {
  return short.format(amount);
}
