import { openAt, openFile, type OpenPlace } from "./open-places.ts";
import { PythonSource } from "./python-source.ts";
import type { SourceFile } from "./source-file.ts";

/** Decodes UTF-8, or the encoding declared in a Python file. */
export function decodedTexts(
  files: readonly SourceFile[],
  open: OpenPlace[],
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { path, bytes } of files) {
    if (!/\.(py|ya?ml|jsonc?|toml)$|(^|\/)\.env(\.\w+)?$/.test(path)) continue;
    try {
      texts.set(path, new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      const latin = new TextDecoder("latin1").decode(bytes);
      const [first = "", second = ""] = latin.split("\n");
      const says = /^[ \t\f]*#.*?coding[:=][ \t]*(latin-?1|iso-?8859-?1|cp1252)\b/i;
      if (path.endsWith(".py") && (says.test(first) || says.test(second))) texts.set(path, latin);
      else open.push(openFile(path, "is not UTF-8: convert it, and import again"));
    }
  }
  return texts;
}

/** Parses the Python files. Invalid parts are open places, and the rest is read. */
export function pythonSources(
  texts: ReadonlyMap<string, string>,
  open: OpenPlace[],
): readonly PythonSource[] {
  const sources = [...texts]
    .filter(([path]) => path.endsWith(".py"))
    .map(([path, text]) => new PythonSource(path, text))
    .filter((source) => {
      const isTooDeep = source.isTooDeep();
      if (isTooDeep) open.push(openFile(source.path, "is nested too deeply to be read"));
      return !isTooDeep;
    });
  for (const source of sources)
    for (const node of source.syntaxErrors())
      open.push(openAt(source, node, "is no Python: the code around it may be missing"));
  return sources;
}
