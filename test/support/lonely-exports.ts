// Exported values that no other place of the program names.

/** An exported value with its file. */
export type LonelyExport = { readonly at: string; readonly name: string };

const WORD = /[A-Za-z_$][\w$]*/g;
const EXPORT = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm;

/** Returns the exported functions, constants and classes that are named once in all files: where they are made. */
export function lonelyExports(files: ReadonlyMap<string, string>): readonly LonelyExport[] {
  const counts = new Map<string, number>();
  for (const source of files.values())
    for (const [word] of source.matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...files].flatMap(([at, source]) =>
    Array.from(source.matchAll(EXPORT), ([, name = ""]) => ({ at, name })).filter(
      ({ name }) => counts.get(name) === 1,
    ),
  );
}
