import { hideSecrets } from "./hide-secrets.ts";

/** All line ends of TypeScript. Python treats the last two as spaces, and a comment would end there. */
const LINE_END = /\r\n?|[\n\u2028\u2029]/;

/**
 * Returns Python as a TypeScript comment with hidden secrets, without the shared indentation of all lines but the
 * first.
 */
export function pythonComment(python: string, indent: string): string {
  const [first = "", ...rest] = hideSecrets(python).trimEnd().split(LINE_END);
  const depths = rest
    .filter((line) => line.trim() !== "")
    .map((line) => line.length - line.trimStart().length);
  // The node begins behind its own line's indentation, which is one step less than that of its body.
  const step =
    /^(\t|\s{2}(?:\s{2})?)/.exec(rest.find((line) => line.trim() !== "") ?? "")?.[0].length ?? 4;
  const shared = Math.max(0, Math.min(...depths, Number.MAX_SAFE_INTEGER) - step);
  return [first, ...rest.map((line) => line.slice(shared))]
    .map((line) => `${indent}// ${line}`.trimEnd())
    .join("\n");
}

/** Returns an import of one module with sorted names. Empty without names. */
export function importLine(names: Iterable<string>, from: string): readonly string[] {
  const sorted = [...new Set(names)]
    .toSorted()
    .map((name) => (identifier(name) === name ? name : `${name} as ${identifier(name)}`));
  return sorted.length === 0
    ? []
    : [`import { ${sorted.join(", ")} } from ${JSON.stringify(from)};`];
}

/** A name for a variable: `search_web` as `searchWeb`, `MyTool` as `myTool`. */
export function variableName(name: string): string {
  const camel = name
    .replaceAll(/_+([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase());
  const safe = camel.replaceAll(/[^\w$]/g, "");
  return RESERVED.has(safe) || /^\d|^$/.test(safe) ? `${safe}Of` : safe;
}

const RESERVED = new Set(
  "await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield tool z undefined arguments eval".split(
    " ",
  ),
);

/** Returns a Python name for TypeScript: unchanged, unless it is reserved. */
export function identifier(name: string): string {
  return RESERVED.has(name) ? `${name}Of` : name;
}

/** Writes a key of a literal; a plain `__proto__` would not be one. */
export function propertyKey(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
