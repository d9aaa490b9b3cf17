import { wrongUse } from "./cli-failure.ts";

const MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Milliseconds of `90s`, `15m`, `12h`, `30d`, `2w`. Throws exit code 2. */
export function timeSpan(option: string, text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (count === "")
    throw wrongUse(
      `${option}: expected a span such as 12h, 30d or 2w, got ${JSON.stringify(text)}`,
    );
  return Number(count) * MS[unit as keyof typeof MS];
}
