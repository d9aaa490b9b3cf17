// Dates in `dateFormat`: the directives of strftime used in definitions, in UTC and English.

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;
const DAYS = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
] as const;

const DIRECTIVES: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => String(date.getUTCFullYear()).padStart(4, "0"),
  m: (date) => twoDigits(date.getUTCMonth() + 1),
  d: (date) => twoDigits(date.getUTCDate()),
  H: (date) => twoDigits(date.getUTCHours()),
  M: (date) => twoDigits(date.getUTCMinutes()),
  S: (date) => twoDigits(date.getUTCSeconds()),
  B: (date) => MONTHS[date.getUTCMonth()] ?? "",
  b: (date) => (MONTHS[date.getUTCMonth()] ?? "").slice(0, 3),
  A: (date) => DAYS[date.getUTCDay()] ?? "",
  a: (date) => (DAYS[date.getUTCDay()] ?? "").slice(0, 3),
};

const DIRECTIVE = /%([YmdHMSBbAa])/g;

/** True if a format contains at least one of `%Y %m %d %H %M %S %B %b %A %a`. */
export function isDateFormat(format: string): boolean {
  return format.search(DIRECTIVE) >= 0;
}

/** Formats a moment, in milliseconds since the epoch, in UTC. Other text in `format` stays unchanged. */
export function formatDate(atMs: number, format: string): string {
  const date = new Date(atMs);
  return format.replace(DIRECTIVE, (_, letter: string) => DIRECTIVES[letter]?.(date) ?? "");
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
