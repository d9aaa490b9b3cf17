// Reads numbers and marks out of untrusted bytes. A missing value is undefined, never an error.

/** The bytes as Latin-1 text, from an offset on. */
export function latin(bytes: Uint8Array, from: number, length: number): string {
  let text = "";
  const end = Math.min(bytes.length, from + length);
  for (let at = Math.max(0, from); at < end; at++) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}

/** True if the mark, as Latin-1 bytes, is at this offset. */
export function hasMark(bytes: Uint8Array, mark: string, at = 0): boolean {
  if (at < 0 || at + mark.length > bytes.length) return false;
  for (let index = 0; index < mark.length; index++)
    if (bytes[at + index] !== mark.charCodeAt(index)) return false;
  return true;
}

/** Returns the first offset of a mark between `from` and `before`, or undefined. */
export function findMark(
  bytes: Uint8Array,
  mark: string,
  { from = 0, before = bytes.length }: { readonly from?: number; readonly before?: number } = {},
): number | undefined {
  const first = mark.charCodeAt(0);
  const last = Math.min(before, bytes.length) - mark.length;
  for (
    let at = bytes.indexOf(first, from);
    at >= 0 && at <= last;
    at = bytes.indexOf(first, at + 1)
  )
    if (hasMark(bytes, mark, at)) return at;
  return undefined;
}

/** An unsigned number of up to 8 bytes. */
export function numberAt(
  bytes: Uint8Array,
  at: number,
  { length, order = "big" }: { readonly length: number; readonly order?: "big" | "little" },
): number | undefined {
  if (at < 0 || at + length > bytes.length) return undefined;
  let value = 0;
  for (let index = 0; index < length; index++)
    value = value * 256 + (bytes[order === "big" ? at + index : at + length - 1 - index] ?? 0);
  return value;
}
