// Files of the project that crews name: a tool's document, a table of data.
import { openFile, type OpenPlace } from "./open-places.ts";

/** Returns an open place for each file in `others` that a written crew names. `sourceOf` gives the crew's own file. */
export function namedFiles(
  written: ReadonlyMap<string, string | Uint8Array>,
  {
    others,
    sourceOf,
  }: { readonly others: readonly string[]; readonly sourceOf: (path: string) => string },
): readonly OpenPlace[] {
  const open: OpenPlace[] = [];
  for (const [path, content] of written) {
    if (!path.startsWith("crews/")) continue;
    const text = typeof content === "string" ? content : new TextDecoder().decode(content);
    for (const other of others) {
      const name = other.split("/").at(-1) ?? other;
      const at = text.indexOf(name);
      const isWhole =
        at >= 0 &&
        !/[\w-]/.test(text.charAt(at - 1)) &&
        !/[\w-]/.test(text.charAt(at + name.length));
      if (isWhole)
        open.push(
          openFile(
            sourceOf(path),
            `the file \`${other}\` is not copied: put it into the file store if the crew reads it`,
          ),
        );
    }
  }
  return open;
}
