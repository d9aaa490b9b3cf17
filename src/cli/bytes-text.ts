const UNITS = ["B", "KiB", "MiB", "GiB"];

/** A size for people: `12 B`, `3.4 MiB`. */
export function bytesText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  for (; size >= 1024 && unit < UNITS.length - 1; unit++) size /= 1024;
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`;
}
