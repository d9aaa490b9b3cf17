// The scalars of YAML where they stand: plain, between quotes, and blocks.
import type { YamlCursor } from "./yaml-cursor.ts";
import {
  blockText,
  doubleQuoted,
  foldedLines,
  indentOf,
  singleQuoted,
  unknownEscape,
} from "./yaml-scalars.ts";

const QUOTED = { '"': /"((?:[^"\\]|\\[^])*)"/y, "'": /'((?:[^']|'')*)'/y } as const;

const BLOCK = /([|>](?:[1-9][-+]?|[-+]?[1-9]?))(?:[ \t]+#[^\n]*|[ \t]*)(?=\n|$)/y;

/** In a line: a `#` after a space begins a comment, and a `:` before one ends a key. */
const PLAIN =
  /(?:[^ \t\n\-?:,[\]{}#&*!|>'"%@`]|[-?:](?=[^ \t\n]))(?:[ \t]*(?:[^ \t\n:#]|:(?=[^ \t\n])|(?<=[^ \t\n])#))*/y;
const PLAIN_ON = /(?:[ \t]*(?:[^ \t\n:#]|:(?=[^ \t\n])|(?<=[^ \t\n])#))+/y;
/** Between brackets. */
const FLOW =
  /(?:[^ \t\n\-?:,[\]{}#&*!|>'"%@`]|[-?:](?=[^ \t\n,[\]{}]))(?:[ \t]*(?:[^ \t\n:#,[\]{}]|:(?=[^ \t\n,[\]{}])|(?<=[^ \t\n])#))*/y;
const FLOW_ON = /(?:[ \t]*(?:[^ \t\n:#,[\]{}]|:(?=[^ \t\n,[\]{}])|(?<=[^ \t\n])#))+/y;

/** A text between quotes; undefined where none begins. Lines after the first must have this indentation. */
export function takeQuoted(cursor: YamlCursor, indentation: number): string | undefined {
  const quote = cursor.next;
  if (quote !== '"' && quote !== "'") return undefined;
  const start = cursor.at;
  const raw = cursor.take(QUOTED[quote])?.[1];
  checkLines(cursor, { start, end: cursor.at, isOpen: raw === undefined, indentation });
  if (raw === undefined) {
    const kind = quote === '"' ? "double" : "single";
    throw cursor.refuse(`unexpected end of the text within ${kind} quotes`, cursor.text.length);
  }
  if (quote === "'") return singleQuoted(raw);
  const unknown = unknownEscape(raw);
  if (unknown >= 0) throw cursor.refuse("unknown escape sequence", start + 1 + unknown);
  return doubleQuoted(raw);
}

type Lines = {
  readonly start: number;
  readonly end: number;
  readonly isOpen: boolean;
  readonly indentation: number;
};

/** Refuses lines that are indented too little, which tells where quotes were forgotten. */
function checkLines(cursor: YamlCursor, { start, end, isOpen, indentation }: Lines): void {
  const { text } = cursor;
  const last = isOpen ? text.length : end;
  for (let at = text.indexOf("\n", start); at >= 0 && at < last; at = text.indexOf("\n", at + 1)) {
    cursor.moveTo(at + 1);
    cursor.skipBlanks();
    if (cursor.next === "\n") continue;
    if (cursor.indentation < indentation) throw cursor.refuse("deficient indentation", cursor.at);
    if (cursor.marker !== undefined)
      throw cursor.refuse("unexpected end of the document within quotes", cursor.at);
  }
  if (!isOpen) cursor.moveTo(end);
}

/** A text without quotes, over lines that have this indentation; undefined where none begins. */
export function takePlain(
  cursor: YamlCursor,
  { indentation, isFlow }: { readonly indentation: number; readonly isFlow: boolean },
): string | undefined {
  const first = cursor.take(isFlow ? FLOW : PLAIN)?.[0];
  if (first === undefined) return undefined;
  const lines = [first];
  for (;;) {
    const end = cursor.at;
    cursor.skipBlanks();
    const hasMore = cursor.next === "\n";
    const empty = cursor.skipLines();
    const goesOn = hasMore && !cursor.isOver && cursor.indentation >= indentation;
    const line = goesOn ? cursor.take(isFlow ? FLOW_ON : PLAIN_ON)?.[0] : undefined;
    if (line === undefined) {
      if (hasMore) cursor.moveTo(end);
      cursor.at = end;
      break;
    }
    for (let count = 0; count < empty; count++) lines.push("");
    lines.push(line);
  }
  return foldedLines(lines);
}

/** A block of lines; undefined where none begins. They have this indentation, or what the header adds to one less. */
export function takeBlock(cursor: YamlCursor, indentation: number): string | undefined {
  if (!/[|>]/.test(cursor.next)) return undefined;
  const header = cursor.take(BLOCK)?.[1];
  if (header === undefined) throw cursor.refuse("a line break is expected", cursor.at);
  const { text } = cursor;
  const lines: string[] = [];
  const added = /\d/.exec(header)?.[0];
  let indent = added === undefined ? undefined : indentation - 1 + Number(added);
  let at = cursor.at + 1;
  while (at < text.length) {
    const lineEnd = text.indexOf("\n", at);
    const end = lineEnd < 0 ? text.length : lineEnd;
    const line = text.slice(at, end);
    const spaces = indentOf(line);
    if (spaces < line.length) {
      if (spaces < (indent ?? indentation)) break;
      if (/^(?:---|\.\.\.)(?:[ \t]|$)/.test(line)) break;
      indent ??= spaces;
    }
    lines.push(line);
    at = end + 1;
  }
  cursor.moveTo(Math.min(at, text.length));
  const from = indent ?? Infinity;
  return blockText(
    lines.map((line) => line.slice(from)),
    header,
  );
}
