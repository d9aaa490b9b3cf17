// Filters of the run list in the address. An invalid parameter is dropped, with a note.
import { inOneLine } from "../../parts/format.ts";
import { START_KINDS } from "../../../src/client/start-kinds.ts";
import type { RunStatus } from "../../api-types.ts";

export const STATUSES = [
  "queued",
  "running",
  "waiting",
  "completed",
  "failed",
  "cancelled",
] as const satisfies readonly RunStatus[];
export const KINDS = [...START_KINDS, "batch"] as const;

const TEXTS = ["name", "q", "tag", "trigger", "origin", "error", "parent"] as const;
const PERIODS = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_592_000_000,
} as const;
export type Period = keyof typeof PERIODS;
export const PERIOD_NAMES = Object.keys(PERIODS) as readonly Period[];

export type Filters = {
  readonly status?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly q?: string;
  readonly tag?: string;
  readonly trigger?: string;
  readonly origin?: string;
  readonly error?: string;
  readonly parent?: string;
  readonly waiting?: string;
  readonly top?: string;
  readonly period?: string;
  /** Names of dropped parameters. */
  readonly dropped?: string;
};

export function readFilters(search: Record<string, unknown>): Filters {
  const filters: Record<string, string> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(search)) {
    if (name === "dropped" || value === undefined) continue;
    const text = inOneLine(value);
    if (isGood(name, text)) filters[name] = text;
    else dropped.push(name);
  }
  return dropped.length === 0 ? filters : { ...filters, dropped: dropped.join(", ") };
}

function isGood(name: string, value: string): boolean {
  if (name === "status") return allOf(value, STATUSES);
  if (name === "kind") return allOf(value, KINDS);
  if (name === "waiting") return value === "person";
  if (name === "top") return value === "1" || value === "0";
  if (name === "period") return Object.hasOwn(PERIODS, value);
  return (TEXTS as readonly string[]).includes(name) && value !== "" && value.length <= 200;
}

function allOf(value: string, allowed: readonly string[]): boolean {
  return value !== "" && value.split(",").every((each) => allowed.includes(each));
}

/** Adds a value to a list in a filter, or takes it out. */
export function toggled(list: string | undefined, value: string): string | undefined {
  const values = list === undefined || list === "" ? [] : list.split(",");
  const next = values.includes(value)
    ? values.filter((each) => each !== value)
    : [...values, value];
  return next.length === 0 ? undefined : next.join(",");
}

/** Returns the parameters of `GET /runs`. */
export function toQuery(
  { period, dropped: _dropped, ...filters }: Filters,
  nowMs: number,
): Readonly<Record<string, string>> {
  const from =
    period === undefined ? undefined : new Date(nowMs - PERIODS[period as Period]).toISOString();
  return { ...filters, ...(from === undefined ? undefined : { from }) };
}

export function isFiltered({ dropped: _dropped, ...filters }: Filters): boolean {
  return Object.keys(filters).length > 0;
}

type Filterable = {
  readonly status: string;
  readonly kind: string;
  readonly name: string;
  readonly parent?: unknown;
};

/** True if a changed run belongs into the list; undefined if only the server can decide. */
export function mayMatch(
  { status, kind, name, top, ...rest }: Filters,
  run: Filterable,
): boolean | undefined {
  if (status !== undefined && !status.split(",").includes(run.status)) return false;
  if (kind !== undefined && !kind.split(",").includes(run.kind)) return false;
  if (name !== undefined && name !== run.name) return false;
  if (top === "1" && run.parent !== undefined) return false;
  const { dropped: _dropped, period: _since, ...others } = rest;
  return Object.values(others).some((value) => value !== undefined) ? undefined : true;
}
