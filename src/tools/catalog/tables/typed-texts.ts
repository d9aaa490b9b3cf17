// Numbers, dates and times in the notations of people.

export type NumberStyle = "point" | "comma";
export type DayOrder = "dmy" | "mdy";

const NULLS = new Set([
  "",
  "-",
  "–",
  "—",
  "n/a",
  "na",
  "nan",
  "null",
  "none",
  "#n/a",
  ".",
  "..",
  "?",
]);
/** Longest text that may stand for no value, with spaces around it. */
const MAX_NULL = 16;
/** A number of more digits is an identifier, as it loses digits. */
const MAX_DIGITS = 15;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** True for a text that stands for no value. */
export function isNullText(text: string): boolean {
  return text.length <= MAX_NULL && NULLS.has(text.trim().toLowerCase());
}

/** A number with its sign, in the middle of its currency, percent sign and brackets. */
const NUMBER =
  /^(\()?\s*([+\-−]?)\s*(\p{Sc}|[A-Z]{3}(?=[\s\d]))?\s*([+\-−]?)(\d[\d.,'’\s]*(?:[eE][+-]?\d+)?)\s*(%|\p{Sc}|[A-Z]{3})?\s*(\))?$/u;
const POINT = /^(?:\d+|\d{1,3}(?:[,'’\s]\d{3})+)(?:\.\d*)?(?:[eE][+-]?\d+)?$/;
const COMMA = /^(?:\d+|\d{1,3}(?:[.'’\s]\d{3})+)(?:,\d+)?(?:[eE][+-]?\d+)?$/;

export type ReadNumber = {
  readonly value: number;
  /** `percent`, or a currency. */
  readonly unit?: string;
};

/** Returns the number of a text. Identifiers, such as `007`, are none. */
export function numberOf(text: string, style: NumberStyle): ReadNumber | undefined {
  if (/^[+-]?(?:[1-9]\d{0,14}|0)(?:\.\d{1,17})?$/.test(text) && style === "point")
    return { value: Number(text) };
  if (/^[+-]?\.\d{1,17}$/.test(text)) return { value: Number(text) };
  const match = NUMBER.exec(text.trim());
  if (match === null) return undefined;
  const [, opened, sign1 = "", before, sign2 = "", figures = "", after, closed] = match;
  const digits = figures.trim();
  if ((opened === undefined) !== (closed === undefined)) return undefined;
  if (before !== undefined && after !== undefined && after !== "%") return undefined;
  if (sign1 !== "" && sign2 !== "") return undefined;
  if (!(style === "point" ? POINT : COMMA).test(digits) || /^0\d/.test(digits)) return undefined;
  const plain =
    style === "point"
      ? digits.replaceAll(/[,'’\s]/g, "")
      : digits.replaceAll(/[.'’\s]/g, "").replace(",", ".");
  const whole = plain.replace(/[.eE].*$/, "");
  if (whole.length > MAX_DIGITS) return undefined;
  const negative = opened !== undefined || /[-−]/.test(sign1 + sign2);
  const size = Number(after === "%" ? `${plain}e-2` : plain);
  const value = Number.isFinite(size) ? size : Number(plain) / 100;
  if (!Number.isFinite(value)) return undefined;
  const unit = after === "%" ? "percent" : (before ?? after);
  return { value: negative ? -value : value, ...(unit === undefined ? undefined : { unit }) };
}

/** Returns the notation of a column's numbers: with a decimal comma only if a value has one beyond doubt. */
export function numberStyleOf(texts: readonly string[]): NumberStyle {
  let comma = false;
  for (const text of texts) {
    const [digits = ""] = /\d[\d.,'’\s]*/.exec(text) ?? [];
    const last = digits.trim();
    if (/\.\d{1,2}$|\.\d{4,}$|,\d{3}\.\d|^0\.\d/.test(last)) return "point";
    if (/,\d{1,2}$|,\d{4,}$|\.\d{3},\d|\.\d{3}\.\d{3}$|^0,\d/.test(last)) comma = true;
  }
  return comma ? "comma" : "point";
}

const ISO =
  /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/;
const PARTS =
  /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap]\.?m\.?)?)?$/i;
const NAMED = /^(\d{1,2})[-. ]+([a-z]{3})[a-z]*[-., ]+(\d{4})$/i;
const NAMED_US = /^([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})$/i;

/** Returns the date of a text as `2024-01-31` or `2024-01-31 18:00:00`. Times with a zone become UTC. */
export function dateOf(text: string, order: DayOrder | undefined): string | undefined {
  const trimmed = text.trim();
  const iso = ISO.exec(trimmed);
  if (iso !== null) {
    const [, year, , month, day, hour, minute, second, fraction, zone] = iso;
    const date = dateFrom(year, month, day);
    if (date === undefined || hour === undefined) return date;
    const time = timeFrom(hour, minute, second);
    if (time === undefined) return undefined;
    if (zone === undefined || zone === "Z") return `${date} ${time}${fraction ?? ""}`;
    return inUtc(`${date}T${time}`, zone);
  }
  const parts = PARTS.exec(trimmed);
  if (parts !== null) {
    const [, first, , second, year, hour, minute, seconds, half] = parts;
    const used = order ?? orderOf(Number(first), Number(second));
    if (used === undefined) return undefined;
    const date = used === "dmy" ? dateFrom(year, second, first) : dateFrom(year, first, second);
    if (date === undefined || hour === undefined) return date;
    const time = timeFrom(halfDay(hour, half), minute, seconds);
    return time === undefined ? undefined : `${date} ${time}`;
  }
  const named = NAMED.exec(trimmed);
  if (named !== null) return dateFrom(named[3], monthOf(named[2]), named[1]);
  const american = NAMED_US.exec(trimmed);
  return american === null ? undefined : dateFrom(american[3], monthOf(american[1]), american[2]);
}

/**
 * Returns the order of day and month in a column's texts; undefined if no text shows it, or texts differ. Points
 * separate days first.
 */
export function dayOrderOf(texts: readonly string[]): DayOrder | undefined {
  const found = new Set<DayOrder>();
  for (const text of texts) {
    const parts = PARTS.exec(text.trim());
    if (parts === null) continue;
    const order = parts[2] === "." ? "dmy" : orderOf(Number(parts[1]), Number(parts[3]));
    if (order !== undefined) found.add(order);
  }
  return found.size === 1 ? [...found][0] : undefined;
}

/** True for a date whose order of day and month cannot be seen. */
export function isDateInParts(text: string): boolean {
  return PARTS.test(text.trim());
}

export function clockOf(text: string): string | undefined {
  const match = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*([ap]\.?m\.?)?$/i.exec(text.trim());
  return match === null ? undefined : timeFrom(halfDay(match[1], match[4]), match[2], match[3]);
}

function orderOf(first: number, second: number): DayOrder | undefined {
  if (first > 12 && second <= 12) return "dmy";
  return second > 12 && first <= 12 ? "mdy" : undefined;
}

function monthOf(name = ""): string {
  return String(MONTHS.indexOf(name.toLowerCase()) + 1);
}

function dateFrom(year = "", month = "", day = ""): string | undefined {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (m < 1 || m > 12 || d < 1 || d > 31) return undefined;
  if (d > new Date(Date.UTC(2000 + (y % 400), m, 0)).getUTCDate()) return undefined;
  return `${year.padStart(4, "0")}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

function timeFrom(hour = "", minute = "", second = "00"): string | undefined {
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  return `${hour.padStart(2, "0")}:${minute}:${second}`;
}

function halfDay(hour = "", half: string | undefined): string {
  if (half === undefined) return hour;
  const base = Number(hour) % 12;
  return String(half.toLowerCase().startsWith("p") ? base + 12 : base);
}

function inUtc(time: string, zone: string): string | undefined {
  const named = zone.replace(/^([+-]\d{2}):?(\d{2})$/, "$1:$2");
  const atMs = Date.parse(`${time}${named}`);
  return Number.isNaN(atMs)
    ? undefined
    : new Date(atMs).toISOString().slice(0, 19).replace("T", " ");
}
