// Numbers of a workbook in their displayed form: dates and percents are numbers with a format.

export type NumberFormat =
  | { readonly kind: "percent"; readonly decimals: number }
  | { readonly kind: "date" | "time" };

const MAX_CODE_LENGTH = 200;

/** Meaning of the ids below 164, by Office Open XML, 18.8.30. */
export function builtInFormat(id: number): NumberFormat | undefined {
  if (id === 9 || id === 10) return { kind: "percent", decimals: id === 9 ? 0 : 2 };
  if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47)) return { kind: "time" };
  if ((id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58))
    return { kind: "date" };
  return undefined;
}

/** Reads a workbook's own format, such as `0.00%` or `dd.mm.yyyy`; undefined for plain numbers. */
export function customFormat(code: string): NumberFormat | undefined {
  const [positive = ""] = code
    .slice(0, MAX_CODE_LENGTH)
    .replaceAll(/"[^"]*"|\\.|[_*]./g, "")
    .split(";");
  const isElapsed = /\[[hms]+\]/i.test(positive);
  const signs = positive.replaceAll(/\[[^\]]*\]/g, "").toLowerCase();
  if (signs.includes("%"))
    return { kind: "percent", decimals: /\.([0#?]+)/.exec(signs)?.[1]?.length ?? 0 };
  if (signs.includes("general")) return undefined;
  if (isElapsed || (/[hs]/.test(signs) && !/[dy]/.test(signs))) return { kind: "time" };
  return /[dmy]/.test(signs) ? { kind: "date" } : undefined;
}

const DAY_MS = 86_400_000;
/** 1970-01-01 in days since the end of 1899, as most workbooks count. */
const UNIX_DAY = 25_569;
/** Offset in days of workbooks with `date1904`. */
const DAYS_TO_1904 = 1_462;

export function shownNumber(
  value: number,
  format: NumberFormat | undefined,
  { from1904 }: { readonly from1904: boolean },
): string {
  // A sum of binary fractions is shown with 15 digits.
  if (format === undefined) return String(Number(value.toPrecision(15)));
  if (format.kind === "percent") return `${(value * 100).toFixed(Math.min(format.decimals, 20))}%`;
  const days = value + (from1904 ? DAYS_TO_1904 : value < 60 ? 1 : 0) - UNIX_DAY;
  const time = new Date(Math.round((days * DAY_MS) / 1000) * 1000);
  if (Number.isNaN(time.getTime())) return String(value);
  const [date = "", clock = ""] = time.toISOString().slice(0, -5).split("T");
  const short = clock.endsWith(":00") ? clock.slice(0, -3) : clock;
  if (format.kind === "time" && value >= 0 && value < 1) return short;
  return clock === "00:00:00" ? date : `${date} ${short}`;
}
