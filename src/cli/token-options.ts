import { wrongUse } from "./cli-failure.ts";

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Returns the seconds of a span such as `15m`. Throws exit code 2. */
export function secondsOf(text: string): number {
  const [, count = "", unit = ""] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (SECONDS[unit] ?? 0);
  if (seconds >= 60 && seconds <= 86_400) return seconds;
  throw wrongUse(`--for: expected a time from 60s to 1d, got ${JSON.stringify(text)}`, "--for 15m");
}
