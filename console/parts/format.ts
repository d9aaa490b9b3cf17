// Numbers and times as people read them.

/** `850 ms`, `1.2 s`, `3 min 4 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return pair([Math.floor(seconds / 60), "min"], [seconds % 60, "s"]);
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return pair([Math.floor(minutes / 60), "h"], [minutes % 60, "min"]);
  const hours = Math.round(minutes / 60);
  return pair([Math.floor(hours / 24), "d"], [hours % 24, "h"]);
}

function pair([large, unit]: [number, string], [small, smallUnit]: [number, string]): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
}

/** `$1.24`; below one cent four significant digits: `$0.001234`. */
export function formatCost(usd: number | undefined): string {
  if (usd === undefined || !Number.isFinite(usd)) return "–";
  if (usd === 0) return "$0";
  if (Math.abs(usd) >= 0.01) return `$${usd.toFixed(2)}`;
  return `$${Number(usd.toPrecision(4)).toFixed(12).replace(/0+$/, "")}`;
}

const grouped = new Intl.NumberFormat("en");

export function formatCount(count: number | undefined): string {
  return count === undefined ? "–" : grouped.format(count);
}

/** `812 B`, `14 kB`, `2.1 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${(bytes / 1000).toFixed(bytes < 9950 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** `just now`, `4 min ago`, `2 h ago`, `3 d ago`, and `in 5 min` for the future. */
export function formatAge(ms: number): string {
  const ago = Math.abs(ms);
  if (ago < 10_000) return "just now";
  const text =
    ago < 60_000
      ? `${Math.round(ago / 1000)} s`
      : ago < 3_600_000
        ? `${Math.round(ago / 60_000)} min`
        : ago < 86_400_000
          ? `${Math.round(ago / 3_600_000)} h`
          : `${Math.round(ago / 86_400_000)} d`;
  return ms < 0 ? `in ${text}` : `${text} ago`;
}

/** Shortens an id for a column, such as `hook-86ec3c75` with its hash: enough of it to distinguish it. */
export function shortId(id: string): string {
  if (/^[0-9a-f]{8}-/.test(id)) return id.slice(0, 8);
  return id.replace(/([0-9a-f]{8})[0-9a-f]{8,}$/, "$1");
}

/** `expectedOutput` and `max_retries` in words. */
export function inWords(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Writes a value in one line: a text unchanged, other values as JSON. */
export function inOneLine(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Returns the text in a field of a form. */
export function fieldText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
