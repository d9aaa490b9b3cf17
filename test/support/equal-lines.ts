// Runs of lines written twice.
import { readSource } from "./source-files.ts";

/** A run of equal lines in two places; line numbers are 1-based, of its first and last line. */
export type EqualRun = {
  readonly places: readonly [string, string];
  readonly lines: readonly string[];
};

type Line = { readonly path: string; readonly number: number; readonly text: string };

/** Runs of this many equal lines count. */
const MIN_LINES = 6;

/**
 * Returns the longest runs of at least six equal lines between two places in the files.
 * Blank lines, comments, imports and lines of punctuation count for neither side.
 */
export function equalRuns(
  paths: readonly string[],
  read: (path: string) => string = readSource,
): readonly EqualRun[] {
  const files = paths.map((path) => linesOf(path, read(path)));
  const windows = new Map<string, Array<readonly [file: number, at: number]>>();
  files.forEach((lines, file) => {
    for (let at = 0; at + MIN_LINES <= lines.length; at++) {
      const text = textOf(lines.slice(at, at + MIN_LINES));
      const places = windows.get(text);
      if (places) places.push([file, at]);
      else windows.set(text, [[file, at]]);
    }
  });
  return [...windows.values()].flatMap((places) =>
    places.flatMap(([file, at], index) =>
      places.slice(index + 1).flatMap(([otherFile, otherAt]) => {
        const [one, other] = [files[file] ?? [], files[otherFile] ?? []];
        // A run that began one line earlier is in the list already.
        if (at > 0 && one[at - 1]?.text === other[otherAt - 1]?.text) return [];
        return runFrom(one.slice(at), other.slice(otherAt)) ?? [];
      }),
    ),
  );
}

function runFrom(one: readonly Line[], other: readonly Line[]): EqualRun | undefined {
  // Two places in one file do not overlap.
  const apart = one.findIndex((line) => line === other[0]);
  const most = apart < 0 ? one.length : apart;
  let length = 0;
  while (length < most && one[length]?.text === other[length]?.text) length++;
  if (length < MIN_LINES) return undefined;
  const lines = one.slice(0, length);
  return {
    places: [rangeOf(lines), rangeOf(other.slice(0, length))],
    lines: lines.map(({ text }) => text),
  };
}

function linesOf(path: string, source: string): readonly Line[] {
  return withoutComments(source)
    .split("\n")
    .map((text, index) => ({ path, number: index + 1, text: text.trim().replace(/\s+/g, " ") }))
    .filter(({ text }) => /\w/.test(text));
}
