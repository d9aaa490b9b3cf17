// Circles of imports, types included.
import { importsOf, sourceFiles } from "./source-files.ts";

/** Files by the files they import. */
type Imports = ReadonlyMap<string, readonly string[]>;

/** Returns the imports between the TypeScript files in these folders. */
export function importsIn(...folders: readonly string[]): Imports {
  const files = sourceFiles(...folders);
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const targets = importsOf(file).flatMap(({ target }) => target ?? []);
      return [file, [...new Set(targets)].filter((target) => known.has(target))];
    }),
  );
}

/** Returns the groups of files that reach each other by imports, the largest first, each in alphabetical order. */
export function importCycles(imports: Imports): ReadonlyArray<readonly string[]> {
  const importers = reversed(imports);
  const placed = new Set<string>();
  const groups: string[][] = [];
  // Kosaraju: seen from the file finished last, the files that reach it are those of its own group.
  for (const file of finishOrder(imports).toReversed()) {
    const group = reached(file, importers, placed);
    if (group.length > 1) groups.push(group.toSorted());
  }
  return groups.toSorted((a, b) => b.length - a.length);
}

/** Returns the files in the order in which a walk in depth leaves them. */
function finishOrder(imports: Imports): readonly string[] {
  const seen = new Set<string>();
  return [...imports.keys()].flatMap((file) => reached(file, imports, seen));
}

/** Walks in depth to all unseen files from `start`; returns them in the order in which the walk leaves them. */
function reached(start: string, imports: Imports, seen: Set<string>): string[] {
  if (seen.has(start)) return [];
  seen.add(start);
  return [...(imports.get(start) ?? []).flatMap((next) => reached(next, imports, seen)), start];
}

function reversed(imports: Imports): Imports {
  const importers = new Map<string, string[]>(Array.from(imports.keys(), (file) => [file, []]));
  for (const [file, targets] of imports)
    for (const target of targets) importers.get(target)?.push(file);
  return importers;
}
