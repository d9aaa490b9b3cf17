import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { Hunk } from "./patch.ts";

/** Comparisons of lines: exact, else without trailing blanks. */
const COMPARISONS: readonly ((a: string, b: string) => boolean)[] = [
  (a, b) => a === b,
  (a, b) => a.trimEnd() === b.trimEnd(),
];

/**
 * Applies all hunks to the text, in their order. They may apply at other positions than declared if their lines are
 * there. Line ends of the text stay unchanged. Fails with `conflict`, naming the first hunk that does not fit.
 */
export function applyHunks(path: string, text: string, hunks: readonly Hunk[]): string {
  const isDos = text.includes("\r\n") && !/(?<!\r)\n/.test(text);
  const plain = isDos ? text.replaceAll("\r\n", "\n") : text;
  const endsLine = plain === "" || plain.endsWith("\n");
  const lines = plain === "" ? [] : (endsLine ? plain.slice(0, -1) : plain).split("\n");
  const result: string[] = [];
  let from = 0;
  let shift = 0;
  for (const hunk of hunks) {
    const at = placeOf(hunk, lines, { from, shift });
    if (at === undefined) throw unfit(path, hunk, hunks.length);
    result.push(...lines.slice(from, at));
    // Unchanged lines keep the form in the file.
    result.push(...replaced(hunk, lines.slice(at, at + hunk.old.length)));
    from = at + hunk.old.length;
    shift = hunk.at === undefined ? shift : at - hunk.at;
  }
  result.push(...lines.slice(from));
  const joined = result.join("\n") + (endsLine && result.length > 0 ? "\n" : "");
  return isDos ? joined.replaceAll("\n", "\r\n") : joined;
}

function placeOf(
  { old, at, anchor, isEnd = false }: Hunk,
  lines: readonly string[],
  { from, shift }: { readonly from: number; readonly shift: number },
): number | undefined {
  const last = lines.length - old.length;
  for (const equal of COMPARISONS) {
    const start =
      anchor === undefined ? from : afterAnchor(lines, from, (line) => equal(line.trim(), anchor));
    if (start === undefined) continue;
    if (old.length === 0) {
      if (at !== undefined) return Math.min(Math.max(at + 1, from), lines.length);
      return anchor === undefined ? lines.length : start;
    }
    const fits = (place: number): boolean =>
      place >= start && old.every((line, index) => equal(lines[place + index] ?? "", line));
    if (isEnd) {
      if (last >= start && fits(last)) return last;
      continue;
    }
    const expected = at === undefined ? start : at + shift;
    for (let distance = 0; distance <= lines.length; distance++)
      for (const place of at === undefined
        ? [expected + distance]
        : [expected - distance, expected + distance])
        if (place >= 0 && place <= last && fits(place)) return place;
  }
  return undefined;
}

function afterAnchor(
  lines: readonly string[],
  from: number,
  isAnchor: (line: string) => boolean,
): number | undefined {
  const found = lines.findIndex((line, index) => index >= from && isAnchor(line));
  return found === -1 ? undefined : found + 1;
}

function replaced(hunk: Hunk, there: readonly string[]): readonly string[] {
  const isSame = there.every((line, index) => line === hunk.old[index]);
  if (isSame) return hunk.new;
  const kept = new Map(hunk.old.map((line, index) => [line, there[index] ?? line]));
  return hunk.new.map((line) => kept.get(line) ?? line);
}

function unfit(path: string, { number, old, anchor }: Hunk, count: number): EngineError {
  const which = count === 1 ? `the hunk` : `hunk ${number} of ${count}`;
  const where = anchor === undefined ? "" : ` after ${preview(anchor)}`;
  return new EngineError(
    "conflict",
    `${which} for ${path} does not fit: the file does not have these lines${where}: ${preview(old.join("\n"), 300)}`,
  );
}
