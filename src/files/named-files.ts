import type { RunScope } from "../events/run-scope.ts";
import type { RunFile } from "./file-ref.ts";

type Found = { readonly place: string; readonly file: RunFile };

const found = new WeakMap<object, Found[]>();

/** Records the files of a piece of work, for tools that find them by name. `place` is the place where they were found. */
export function recordFiles(place: RunScope, files: readonly RunFile[]): void {
  const known = found.get(place.drive) ?? [];
  found.set(place.drive, known);
  const parent = place.path.slice(0, Math.max(0, place.path.lastIndexOf("/")));
  const isKnown = (file: RunFile): boolean =>
    known.some((each) => each.place === parent && each.file === file);
  known.push(...files.filter((file) => !isKnown(file)).map((file) => ({ place: parent, file })));
}

/**
 * Returns the file that the work around this place knows by a name: its key first, then its own name. Of files with one
 * name, the nearest counts.
 */
export function namedFile(scope: RunScope, name: string): RunFile | undefined {
  return nearest(scope, ({ key }) => key === name) ?? nearest(scope, (file) => file.name === name);
}

/** Returns the names of all files known to the work around this place. */
export function fileNames(scope: RunScope): readonly string[] {
  return [...new Set(around(scope).map(({ file }) => file.key))];
}

function nearest(scope: RunScope, fits: (file: RunFile) => boolean): RunFile | undefined {
  return around(scope)
    .filter(({ file }) => fits(file))
    .toSorted((a, b) => b.place.length - a.place.length)[0]?.file;
}

function around({ drive, path }: RunScope): readonly Found[] {
  return (found.get(drive) ?? []).filter(
    ({ place }) => place === "" || path === place || path.startsWith(`${place}/`),
  );
}
