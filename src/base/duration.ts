// Lengths of time as people write them: `30s`, `5m`, `2h`, `1d`, `2w`, `1y` (365 days), or a number of seconds.
import { invalidDefinition } from "./invalid-definition.ts";
import { preview } from "./json.ts";

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  y: 365 * 86_400_000,
};

/** A length of time in milliseconds. Throws `invalid_definition` for any other form. */
export function durationMs(duration: unknown): number {
  if (typeof duration === "number" && Number.isSafeInteger(duration) && duration >= 0)
    return duration * 1_000;
  const [, digits, unit = ""] =
    typeof duration === "string" ? (/^(\d{1,9})([smhdwy])$/.exec(duration) ?? []) : [];
  const factor = UNITS[unit];
  if (digits !== undefined && factor !== undefined) return Number(digits) * factor;
  throw invalidDefinition(
    `a duration is written as 30s, 5m, 2h or 1d, or as whole seconds, got ${preview(duration)}`,
  );
}
