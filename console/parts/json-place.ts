// Locates the value of a JSON pointer in a text.

export function lineAndColumn(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Returns the offset of a JSON pointer's value, or of its nearest existing parent. Undefined for invalid JSON. */
export function jsonOffset(text: string, pointer: string): number | undefined {
  const found = new Map<string, number>();
  const token = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+)/gy;
  type Open = { readonly path: string; readonly isList: boolean; count: number; key?: string };
  const open: Open[] = [];
  const pathOfNext = (): string => {
    const last = open.at(-1);
    if (last === undefined) return "";
    return `${last.path}/${last.isList ? last.count : (last.key ?? "")}`;
  };
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [, word = ""] = match;
    const at = token.lastIndex - word.length;
    const last = open.at(-1);
    if (word === "{" || word === "[") {
      const path = pathOfNext();
      found.set(path, at);
      open.push({ path, isList: word === "[", count: 0 });
    } else if (word === "}" || word === "]") open.pop();
    else if (word === ",") {
      if (last !== undefined) {
        last.count++;
        delete last.key;
      }
    } else if (word !== ":") {
      if (last !== undefined && !last.isList && last.key === undefined) last.key = partOf(word);
      else found.set(pathOfNext(), at);
    }
  }
  for (let path = pointer; ; path = path.slice(0, path.lastIndexOf("/"))) {
    const at = found.get(path);
    if (at !== undefined || path === "") return at;
  }
}

function partOf(word: string): string {
  try {
    return String(JSON.parse(word)).replaceAll("~", "~0").replaceAll("/", "~1");
  } catch {
    return word;
  }
}

/** `Line 3: ` for the reader of a JSON text; empty for an unknown place. */
export function placeIn(text: string, pointer: string): string {
  const offset = jsonOffset(text, pointer);
  return offset === undefined ? "" : `Line ${lineAndColumn(text, offset).line}: `;
}
