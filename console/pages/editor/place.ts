// Where in a text a fault is: by line and column, or in JSON by its pointer.
import type { DefinitionFault } from "../definitions/requests.ts";

export type Place = { readonly from: number; readonly to: number };

/** The offset of a line and column, both from 1; the nearest one there is. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let left = line - 1; left > 0; left--) {
    const end = text.indexOf("\n", start);
    if (end === -1) return text.length;
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  return Math.min(start + Math.max(0, column - 1), end === -1 ? text.length : end);
}

export function lineAndColumn(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The word, quoted text or character that a fault is about. */
export function placeOf(text: string, { line, column, path }: DefinitionFault): Place {
  const from =
    line === undefined || column === undefined
      ? (jsonOffset(text, path) ?? 0)
      : offsetOf(text, line, column);
  const [word = ""] = /^(?:"(?:[^"\\\n]|\\.)*"|[\w.-]+|\S)/.exec(text.slice(from, from + 200)) ?? [];
  return { from, to: Math.min(from + Math.max(1, word.length), text.length) };
}

/** Where the value of a JSON pointer begins; of what is missing, what it is missing from. Undefined for what is not JSON. */
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
