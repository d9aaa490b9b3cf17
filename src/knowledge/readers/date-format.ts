// Dates, times and elapsed times of workbooks, which are numbers of days.
import type { FormatToken } from "./format-tokens.ts";

export type Moment = {
  /** True if the workbook counts days from 1904. */
  readonly from1904: boolean;
};

type DateSection = {
  readonly kind: "date" | "time" | "duration";
  readonly show: (value: number, moment: Moment) => string;
};

type Field = "year" | "month" | "day" | "weekday" | "hour" | "minute" | "second" | "half" | "era";

const DAY_S = 86_400;
/** 1970-01-01 in days since the end of 1899, as most workbooks count. */
const UNIX_DAY = 25_569;
/** Offset in days of workbooks with `date1904`. */
const DAYS_TO_1904 = 1_462;
/** 1900-02-29 in Excel, which never was. */
const FALSE_DAY = 60;
/** 9999-12-31. */
const LAST_DAY = 2_958_465;

/** Returns the section as a date, a time or an elapsed time; undefined without fields of one. */
export function dateSection(tokens: readonly FormatToken[]): DateSection | undefined {
  const decimals = decimalsOf(tokens);
  if (tokens.some(({ kind }) => kind === "elapsed"))
    return { kind: "duration", show: (value) => elapsed(value, tokens, decimals) };
  const fields = fieldsOf(tokens);
  if (fields.size === 0 || tokens.some(({ kind }) => kind === "general")) return undefined;
  const hasDate = ["year", "month", "day", "weekday", "era"].some((each) =>
    fields.has(each as Field),
  );
  const hasTime = ["hour", "minute", "second"].some((each) => fields.has(each as Field));
  if (!hasDate && hasTime && !fields.has("hour"))
    return { kind: "time", show: (value) => elapsed(value - Math.floor(value), tokens, decimals) };
  return {
    kind: hasDate ? "date" : "time",
    show: (value, { from1904 }) => {
      const moment = momentOf(value, from1904, decimals);
      if (moment === undefined) return String(value);
      const { date, clock } = moment;
      if (!hasDate) return clock;
      const day = precise(date, fields);
      return hasTime || clock !== "00:00" ? `${day} ${clock}` : day;
    },
  };
}

/** Returns a number of days in ISO 8601: a date, or a date with a time; undefined outside of the calendar. */
export function isoOf(value: number, from1904: boolean): string | undefined {
  const moment = momentOf(value, from1904, 3);
  const day = Math.floor(value);
  if (moment === undefined || (!from1904 && (day === 0 || day === FALSE_DAY))) return undefined;
  const { date, clock } = moment;
  return clock === "00:00" ? date : `${date}T${clock.length === 5 ? `${clock}:00` : clock}`;
}

/** Returns the time of a number of days, as `18:00:00`. */
export function timeOf(value: number): string {
  const { clock = "" } = momentOf(value - Math.floor(value), false, 3) ?? {};
  return clock.length === 5 ? `${clock}:00` : clock;
}

function precise(date: string, fields: ReadonlySet<Field>): string {
  if (fields.has("day") || fields.has("weekday")) return date;
  if (fields.has("month")) return date.slice(0, 7);
  return fields.has("year") ? date.slice(0, 4) : date;
}

function momentOf(
  value: number,
  from1904: boolean,
  decimals: number,
): { readonly date: string; readonly clock: string } | undefined {
  if (!(value >= 0 && value < LAST_DAY + 1)) return undefined;
  const days = value + (from1904 ? DAYS_TO_1904 : value < FALSE_DAY ? 1 : 0) - UNIX_DAY;
  const unit = 10 ** Math.min(3, decimals);
  const time = new Date((Math.round(days * DAY_S * unit) / unit) * 1000);
  if (Number.isNaN(time.getTime())) return undefined;
  const [iso = "", rest = ""] = time.toISOString().split("T");
  const day = Math.floor(value);
  const date =
    from1904 || (day !== FALSE_DAY && day !== 0) ? iso : day === 0 ? "1900-01-00" : "1900-02-29";
  const [seconds = "", fraction = ""] = rest.slice(0, -1).split(".");
  const short =
    fraction === "000" ? seconds.replace(/^(\d\d:\d\d):00$/, "$1") : `${seconds}.${fraction}`;
  return { date, clock: short };
}

/** Shows the units of a format in its order; the largest one counts beyond its usual range. */
function elapsed(value: number, tokens: readonly FormatToken[], decimals: number): string {
  const unit = 10 ** decimals;
  const all = Math.round(Math.abs(value) * DAY_S * unit) / unit;
  const kinds = minutesKnown(tokens);
  let isCounted = false;
  let isFraction = false;
  const shown = tokens.map((token, index) => {
    if (token.kind === "literal") return token.text;
    if (token.kind === "point") {
      isFraction = true;
      return decimals === 0 ? "" : ".";
    }
    if (token.kind === "digit" && isFraction) {
      isFraction = false;
      return String(Math.round((all % 1) * unit)).padStart(decimals, "0");
    }
    if (token.kind === "slash") return "/";
    if (token.kind !== "elapsed" && token.kind !== "field") return "";
    const field = kinds[index];
    const isWhole = token.kind === "elapsed" && !isCounted;
    isCounted ||= isWhole;
    const count = Math.floor(
      field === "hour"
        ? isWhole
          ? all / 3600
          : (all / 3600) % 24
        : field === "second"
          ? isWhole
            ? all
            : all % 60
          : isWhole
            ? all / 60
            : (all / 60) % 60,
    );
    return String(count).padStart(token.text.length, "0");
  });
  return (value < 0 && all > 0 ? "-" : "") + shown.join("");
}

/** Returns the number of digits after the seconds' point. */
function decimalsOf(tokens: readonly FormatToken[]): number {
  const point = tokens.findIndex(({ kind }) => kind === "point");
  if (point === -1) return 0;
  const rest = tokens.slice(point + 1);
  const end = rest.findIndex(({ kind }) => kind !== "digit");
  return Math.min(3, end === -1 ? rest.length : end);
}

function fieldsOf(tokens: readonly FormatToken[]): ReadonlySet<Field> {
  return new Set(minutesKnown(tokens).filter((field) => field !== undefined));
}

/** Returns the field of each token. `m` beside hours or seconds is a minute, else a month. */
function minutesKnown(tokens: readonly FormatToken[]): ReadonlyArray<Field | undefined> {
  const fields = tokens.map(fieldOf);
  const known = fields
    .map((field, index) => ({ field, index }))
    .filter(({ field }) => field !== undefined);
  for (const [place, { field, index }] of known.entries()) {
    if (field !== "month" || (tokens[index]?.text.length ?? 0) > 2) continue;
    const [before, after] = [known[place - 1]?.field, known[place + 1]?.field];
    if (before === "hour" || after === "second") fields[index] = "minute";
  }
  return fields;
}

function fieldOf({ kind, text }: FormatToken): Field | undefined {
  if (kind !== "field" && kind !== "elapsed") return undefined;
  if (text.includes("/")) return "half";
  switch (text[0]?.toLowerCase()) {
    case "y":
    case "e":
    case "b":
      return "year";
    case "g":
      return "era";
    case "d":
      return text.length > 2 ? "weekday" : "day";
    case "h":
      return "hour";
    case "s":
      return "second";
    default:
      return kind === "elapsed" ? "minute" : "month";
  }
}
