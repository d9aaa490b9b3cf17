// Texts in a source: literals in all of their forms, and f-strings.
import { childrenOf, type PythonNode, type PythonSource } from "./python-source.ts";

/**
 * Returns the literal texts of an f-string, and the expressions between them. A format behind a colon, and `!r`, are
 * not applied.
 */
export function formatParts(
  source: PythonSource,
  node: PythonNode,
): readonly (string | PythonNode)[] {
  const [, prefix = "", quotes = ""] = /^([a-zA-Z]*)("""|'''|"|')/.exec(source.textOf(node)) ?? [];
  const literal = (from: number, to: number): string => {
    const text = source.text.slice(from, to).replaceAll(/\r\n?/g, "\n");
    const plain = /r/i.test(prefix) ? text : text.replaceAll(ESCAPE, unescaped);
    return plain.replaceAll("{{", "{").replaceAll("}}", "}");
  };
  const parts: (string | PythonNode)[] = [];
  let from = node.from + prefix.length + quotes.length;
  for (const hole of node.getChildren("FormatReplacement")) {
    const inner = childrenOf(hole).find(({ name }) => name !== "{");
    parts.push(literal(from, hole.from), ...(inner === undefined ? [] : [inner]));
    from = hole.to;
  }
  parts.push(literal(from, node.to - quotes.length));
  return parts.filter((each) => each !== "");
}

/** Returns the text of one or several adjacent literals. Undefined for bytes and f-strings. */
export function textValue(source: PythonSource, node: PythonNode): string | undefined {
  if (node.name === "ContinuedString") {
    const parts = childrenOf(node).map((each) => textValue(source, each));
    return parts.includes(undefined) ? undefined : parts.join("");
  }
  const match = /^([a-zA-Z]*)("""|'''|"|')([^]*)\2$/.exec(source.textOf(node));
  if (node.name !== "String" || match === null) return undefined;
  const [, prefix = "", , body = ""] = match;
  if (/[bf]/i.test(prefix)) return undefined;
  const text = body.replaceAll(/\r\n?/g, "\n");
  return /r/i.test(prefix) ? text : text.replaceAll(ESCAPE, unescaped);
}

const ESCAPE = /\\(?:\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[^])/g;

const SIMPLE: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "\n": "",
};

/** Decodes an escape as Python does. An unknown escape stays unchanged. */
function unescaped(escape: string): string {
  const [, first = ""] = escape;
  if (first in SIMPLE) return SIMPLE[first] ?? "";
  if (/[0-7]/.test(first)) return String.fromCharCode(Number.parseInt(escape.slice(1), 8));
  const code = Number.parseInt(escape.slice(2), 16);
  const isCode = /[xuU]/.test(first) && escape.length > 3 && code <= 0x10_ff_ff;
  return isCode ? String.fromCodePoint(code) : escape;
}
