import { wrongUse } from "./cli-failure.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

export type TimeOption = {
  /** Name of the option, without its dashes. */
  readonly option: string;
  readonly nowMs: number;
  /** True if a duration counts from now into the future. @default false, into the past */
  readonly ahead?: boolean;
};

/** Reads a duration from now such as `30d`, or an ISO 8601 time. Returns ISO 8601 in UTC. Throws exit code 2. */
export function timeOf(text: string, { option, nowMs, ahead = false }: TimeOption): string {
  const [, number = "", unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text.trim()) ?? [];
  const lengthMs = Number(number) * (UNIT_MS[unit] ?? 0);
  const atMs = unit === "" ? Date.parse(text) : nowMs + (ahead ? lengthMs : -lengthMs);
  if (!Number.isNaN(atMs) && /^\d{4}-|[smhdw]$/.test(text.trim()))
    return new Date(atMs).toISOString();
  throw wrongUse(
    `--${option}: expected an age such as 30d, 12h or 45m, or a time such as 2026-01-31, got ${JSON.stringify(text)}`,
  );
}
