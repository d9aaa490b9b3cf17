// The texts of YAML's scalars: lines that are folded, escapes, and blocks.

/** An escape, or the start of one that is not known. */
const ESCAPE = /\\(x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8}|[^])/g;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ...Array.from('"/\\ \t', (each) => [each, each] as const),
  ["0", "\0"],
  ["a", "\x07"],
  ["b", "\b"],
  ["t", "\t"],
  ["n", "\n"],
  ["v", "\v"],
  ["f", "\f"],
  ["r", "\r"],
  ["e", "\x1B"],
  ["N", "\x85"],
  ["_", "\xA0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
  ["\n", ""],
]);

/** Where in what stands between double quotes an escape is that does not exist; -1 where there is none. */
export function unknownEscape(raw: string): number {
  for (const { 1: escape = "", index } of raw.matchAll(ESCAPE))
    if (escape.length === 1 ? !ESCAPES.has(escape) : codePoint(escape) > 0x10_ff_ff) return index;
  return -1;
}

/** What stands between double quotes, as a text. */
export function doubleQuoted(raw: string): string {
  return foldedLines(raw.split("\n"), { escapes: true }).replaceAll(
    ESCAPE,
    (_, escape: string) => ESCAPES.get(escape) ?? String.fromCodePoint(codePoint(escape)),
  );
}

function codePoint(escape: string): number {
  return Number.parseInt(escape.slice(1), 16);
}

/** What stands between single quotes, as a text. */
export function singleQuoted(raw: string): string {
  return foldedLines(raw.split("\n")).replaceAll("''", "'");
}

/**
 * Lines of one text: a line break is a space, and each empty line a line break. With `escapes`, a backslash at the end of a line
 * takes the line break away.
 */
export function foldedLines(lines: readonly string[], { escapes = false } = {}): string {
  let text = "";
  let joint = "";
  let breaks = 0;
  const last = lines.length - 1;
  for (const [index, line] of lines.entries()) {
    const from = index === 0 ? 0 : (/^[ \t]*/.exec(line)?.[0].length ?? 0);
    const end = index === last ? line.length : endOf(line, escapes);
    if (index > 0 && index < last && from >= end) {
      breaks++;
      continue;
    }
    text += breaks > 0 ? "\n".repeat(breaks) : joint;
    const isJoined = escapes && index < last && isEscaped(line, end);
    text += line.slice(from, isJoined ? end - 1 : end);
    joint = isJoined ? "" : " ";
    breaks = 0;
  }
  return text;
}

/** How far a line goes without the spaces at its end, but for one that is escaped. */
function endOf(line: string, escapes: boolean): number {
  let end = line.length;
  while (end > 0 && " \t".includes(line.charAt(end - 1))) end--;
  return escapes && end < line.length && isEscaped(line, end) ? end + 1 : end;
}

/** Whether what stands there follows an odd number of backslashes. */
function isEscaped(line: string, at: number): boolean {
  let start = at;
  while (line.charAt(start - 1) === "\\") start--;
  return (at - start) % 2 === 1;
}

/** How many spaces a line begins with. */
export function indentOf(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

/** The text of the lines of a block, without their indentation. `form` is its header: `|`, `>`, with `-` or `+`. */
export function blockText(lines: readonly string[], form: string): string {
  const length = lines.findLastIndex((line) => line !== "") + 1;
  const content = lines.slice(0, length);
  const text = form.startsWith("|") ? content.join("\n") : foldedBlock(content);
  if (form.includes("-")) return text;
  if (form.includes("+")) return text + "\n".repeat(lines.length - length + (length > 0 ? 1 : 0));
  return length > 0 ? `${text}\n` : text;
}

/** Folds lines, but for those that are indented further and the line breaks beside them. */
function foldedBlock(lines: readonly string[]): string {
  let text = "";
  let breaks = 0;
  let before: "nothing" | "indented" | "plain" = "nothing";
  for (const line of lines) {
    if (line === "") {
      breaks++;
      continue;
    }
    const isIndented = /^[ \t]/.test(line);
    const keeps = before === "indented" || (isIndented && before === "plain");
    const kept = keeps ? breaks + 1 : breaks;
    text += kept === 0 && before === "plain" ? " " : "\n".repeat(kept);
    text += line;
    before = isIndented ? "indented" : "plain";
    breaks = 0;
  }
  return text;
}
