// Consumption of models, prepared for a table, bars and a file.
import type { UsageSum } from "../../../src/usage/usage-sums.ts";

export const PERIODS = { "7d": 7, "30d": 30, "90d": 90, "400d": 400 } as const;
export type Period = keyof typeof PERIODS;
export const GROUPS = ["name", "model", "kind"] as const;
export type Group = (typeof GROUPS)[number];
export const MEASURES = ["cost", "tokens"] as const;
export type Measure = (typeof MEASURES)[number];

export type UsageQuery = {
  readonly period: Period;
  readonly by: "day" | "month";
  readonly group: Group;
  /** Absent if the address names none: cost, or tokens without a cost. */
  readonly show: Measure | undefined;
  /** Unknown parameters of the address. */
  readonly dropped: readonly string[];
};

/** Reads the query in the address. Invalid parameters are left out and listed. */
export function readUsageQuery(search: Readonly<Record<string, string | undefined>>): UsageQuery {
  const dropped: string[] = [];
  const oneOf = <Known extends string, Otherwise extends Known | undefined>(
    name: string,
    known: readonly Known[],
    otherwise: Otherwise,
  ): Known | Otherwise => {
    const text = search[name];
    if (text === undefined) return otherwise;
    const found = known.find((each) => each === text);
    if (found === undefined) dropped.push(name);
    return found ?? otherwise;
  };
  return {
    period: oneOf<Period, Period>("period", Object.keys(PERIODS) as Period[], "30d"),
    by: oneOf<"day" | "month", "day">("by", ["day", "month"], "day"),
    group: oneOf<Group, Group>("group", GROUPS, "name"),
    show: oneOf<Measure, undefined>("show", MEASURES, undefined),
    dropped,
  };
}

export type Totals = {
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  readonly costUsd: number;
};
const NOTHING: Totals = {
  requests: 0,
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  costUsd: 0,
};

export function totalOf(items: readonly UsageSum[]): Totals {
  return items.reduce<Totals>(
    (sum, each) => ({
      requests: sum.requests + each.requests,
      promptTokens: sum.promptTokens + each.promptTokens,
      completionTokens: sum.completionTokens + each.completionTokens,
      totalTokens: sum.totalTokens + each.totalTokens,
      costUsd: sum.costUsd + each.costUsd,
    }),
    NOTHING,
  );
}

/** Returns the measure to show first: cost, unless tokens without a price are all there is. */
export function shownMeasure({ costUsd, totalTokens }: Totals): Measure {
  return costUsd === 0 && totalTokens > 0 ? "tokens" : "cost";
}

export type Sum = {
  readonly label: string;
  readonly totals: Totals;
  /** Name or kind of the summed runs, if the group has them. */
  readonly group: string;
  readonly kind?: string;
};

const labelOf = ({ group, kind }: UsageSum): string =>
  kind === undefined ? group : `${kind} ${group}`;

/** Sums by group, the most expensive first. */
export function byGroup(items: readonly UsageSum[]): readonly Sum[] {
  return [...Map.groupBy(items, labelOf)]
    .map(([label, rows]) => ({ label, totals: totalOf(rows), ...groupOf(rows) }))
    .toSorted(
      (one, other) =>
        other.totals.costUsd - one.totals.costUsd ||
        other.totals.totalTokens - one.totals.totalTokens,
    );
}

/** Returns the group and the kind that all rows share. */
export function groupOf(rows: readonly Pick<UsageSum, "group" | "kind">[]): {
  readonly group: string;
  readonly kind?: string;
} {
  const { group = "", kind } = rows[0] ?? {};
  return kind === undefined ? { group } : { group, kind };
}

export type Bar = { readonly at: string; readonly totals: Totals };

/** One bar for each day or month of the period, also for those without calls. */
export function barsOf(
  items: readonly UsageSum[],
  { fromMs, toMs, by }: { readonly fromMs: number; readonly toMs: number; readonly by: string },
): readonly Bar[] {
  const length = by === "month" ? 7 : 10;
  const rows = Map.groupBy(items, ({ at }) => at.slice(0, length));
  const places = new Set<string>();
  for (let ms = fromMs; ms <= toMs; ms += 86_400_000)
    places.add(new Date(ms).toISOString().slice(0, length));
  for (const at of rows.keys()) places.add(at);
  return [...places].toSorted().map((at) => ({ at, totals: totalOf(rows.get(at) ?? []) }));
}

/** Returns called models without a known price. The built-in one is free. */
export function withoutPrice(items: readonly UsageSum[]): readonly string[] {
  return byGroup(items)
    .filter(({ totals }) => totals.totalTokens > 0 && totals.costUsd === 0)
    .map(({ label }) => label)
    .filter((model) => !model.startsWith("offline/"));
}

/** Writes a table for other programs. Values that begin like a formula are escaped to stay texts. */
export function csvOf(items: readonly UsageSum[], group: Group): string {
  const head = [
    "at",
    group,
    ...(group === "name" ? ["kind"] : []),
    "requests",
    "promptTokens",
    "completionTokens",
    "totalTokens",
    "costUsd",
  ];
  const rows = items.map((item) => [
    item.at,
    cell(item.group),
    ...(group === "name" ? [item.kind ?? ""] : []),
    item.requests,
    item.promptTokens,
    item.completionTokens,
    item.totalTokens,
    item.costUsd,
  ]);
  return [head, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
