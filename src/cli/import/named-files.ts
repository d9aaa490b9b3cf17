// Files of the project that crews name: a tool's document, a table of data.
import { openFile, type OpenPlace } from "./open-places.ts";

/** Returns an open place for each file in `others` that a crew's definition names. `sourceOf` gives the crew's file. */
export function namedFiles(
  written: ReadonlyMap<string, string | Uint8Array>,
  {
    others,
    sourceOf,
  }: { readonly others: readonly string[]; readonly sourceOf: (path: string) => string },
): readonly OpenPlace[] {
  return [...written].flatMap(([path, content]) => {
    if (!/^crews\/[^/]+\/crew\.jsonc$/.test(path) || typeof content !== "string") return [];
    const named = Array.from(content.replaceAll(OUTPUT, "").matchAll(/"([^"\s]+\.\w+)"/g), last);
    return others
      .filter((other) => named.includes(other.split("/").at(-1) ?? other))
      .map((other) => {
        const why = `the file \`${other}\` is not copied: put it into the file store if the crew reads it`;
        return openFile(sourceOf(path), why);
      });
  });
}

/** A file written by a crew. */
const OUTPUT = /"output(?:Log)?File": "[^"]*"/g;

function last([, path = ""]: RegExpExecArray): string {
  return path.split("/").at(-1) ?? path;
}
