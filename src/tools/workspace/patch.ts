// Parser of patches in both forms used by models: unified diffs, and `*** Begin Patch` with its file sections.
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";

/** Hunk of a file, before and after the change. */
export type Hunk = {
  /** Number in its file, from 1. */
  readonly number: number;
  /** Lines before the change. */
  readonly old: readonly string[];
  /** Lines after the change. */
  readonly new: readonly string[];
  /** Start according to the patch, from 0. */
  readonly at?: number;
  /** Line at any place before the hunk. */
  readonly anchor?: string;
  /** True if the hunk ends at the end of the file. */
  readonly isEnd?: boolean;
};

/** Change of one file. */
export type FilePatch =
  | { readonly kind: "add"; readonly path: string; readonly content: string }
  | { readonly kind: "delete"; readonly path: string }
  | {
      readonly kind: "update";
      readonly path: string;
      /** New path, if the file moves. */
      readonly to?: string;
      readonly hunks: readonly Hunk[];
    };

const MAX_LENGTH = 1_048_576;
const MAX_FILES = 100;

/** Reads a patch. Fails with `invalid_input` and the place of the error. */
export function readPatch(text: string): readonly FilePatch[] {
  if (text.length > MAX_LENGTH)
    throw bad(`it may have at most ${MAX_LENGTH} characters, got ${text.length}`);
  const lines = text.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n");
  const begin = lines.findIndex((line) => line.trim() === "*** Begin Patch");
  const patches =
    begin === -1 ? readUnified(lines) : readSections(lines.slice(begin + 1), begin + 2);
  if (patches.length === 0)
    throw bad("expected `*** Begin Patch` or `--- a/path` and `+++ b/path`, got neither");
  if (patches.length > MAX_FILES)
    throw bad(`it may change at most ${MAX_FILES} files, got ${patches.length}`);
  return patches;
}

/** Reads the sections between `*** Begin Patch` and `*** End Patch`. */
function readSections(lines: readonly string[], firstLine: number): readonly FilePatch[] {
  const patches: FilePatch[] = [];
  let at = 0;
  for (; at < lines.length;) {
    const line = lines[at] ?? "";
    if (line.trim() === "*** End Patch") return patches;
    const [, verb, path = ""] =
      /^\*\*\* (Add|Delete|Update) File: (.+)$/.exec(line.trimEnd()) ?? [];
    if (verb === undefined) throw badLine(firstLine + at, "a `*** … File:` section", line);
    const body = lines.slice(at + 1, sectionEnd(lines, at + 1));
    at += body.length + 1;
    if (verb === "Delete") patches.push({ kind: "delete", path: path.trim() });
    else if (verb === "Add")
      patches.push({ kind: "add", path: path.trim(), content: added(body, firstLine + at) });
    else patches.push(updated(path.trim(), body));
  }
  throw bad("`*** End Patch` is missing");
}

function sectionEnd(lines: readonly string[], from: number): number {
  const end = lines.findIndex(
    (line, index) =>
      index >= from && /^\*\*\* ((Add|Delete|Update) File: |End Patch\s*$)/.test(line),
  );
  return end === -1 ? lines.length : end;
}

function added(body: readonly string[], lineNumber: number): string {
  const wrong = body.find((line) => !line.startsWith("+") && line.trim() !== "");
  if (wrong !== undefined) throw badLine(lineNumber, "a line that begins with +", wrong);
  return body.map((line) => `${line.slice(1)}\n`).join("");
}

function updated(path: string, body: readonly string[]): FilePatch {
  const [first = ""] = body;
  const to = /^\*\*\* Move to: (.+)$/.exec(first.trimEnd())?.[1]?.trim();
  const rest = to === undefined ? body : body.slice(1);
  const hunks: Hunk[] = [];
  let lines: string[] = [];
  let anchor: string | undefined;
  const close = (isEnd = false): void => {
    if (lines.length > 0) {
      const number = hunks.length + 1;
      const start = anchor === undefined || anchor === "" ? undefined : { anchor };
      hunks.push({ number, ...sides(lines), ...start, ...(isEnd ? { isEnd } : undefined) });
    }
    lines = [];
    anchor = undefined;
  };
  for (const line of rest) {
    if (line.startsWith("@@")) {
      close();
      anchor = line
        .slice(2)
        .replace(/@@\s*$/, "")
        .trim();
    } else if (line.trimEnd() === "*** End of File") close(true);
    else lines.push(line);
  }
  close();
  return { kind: "update", path, ...(to === undefined ? undefined : { to }), hunks };
}

/** Reads the files of a unified diff and ignores the text around them. */
function readUnified(lines: readonly string[]): readonly FilePatch[] {
  const patches: FilePatch[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    const next = lines[at + 1] ?? "";
    if (line.startsWith("diff --git ")) {
      const [moved, length] = movedFile(lines, at);
      if (moved !== undefined) patches.push(moved);
      at += length;
    } else if (line.startsWith("--- ") && next.startsWith("+++ ")) {
      const [patch, length] = unifiedFile(lines, at);
      patches.push(patch);
      at += length;
    } else at++;
  }
  return patches;
}

/** Reads the header of git's form. A moved file has no other part. */
function movedFile(lines: readonly string[], at: number): readonly [FilePatch | undefined, number] {
  let from: string | undefined;
  let to: string | undefined;
  let length = 1;
  for (; at + length < lines.length; length++) {
    const line = lines[at + length] ?? "";
    if (/^(diff --git |--- )/.test(line)) break;
    from ??= /^rename from (.+)$/.exec(line)?.[1];
    to ??= /^rename to (.+)$/.exec(line)?.[1];
  }
  const isChanged = (lines[at + length] ?? "").startsWith("--- ");
  if (from === undefined || to === undefined || isChanged) return [undefined, length];
  return [{ kind: "update", path: from, to, hunks: [] }, length];
}

function unifiedFile(lines: readonly string[], start: number): readonly [FilePatch, number] {
  const from = headerPath(lines[start] ?? "", "a/");
  const to = headerPath(lines[start + 1] ?? "", "b/");
  const hunks: Hunk[] = [];
  let at = start + 2;
  while (at < lines.length && (lines[at] ?? "").startsWith("@@")) {
    const [hunk, length] = unifiedHunk(lines, at, hunks.length + 1);
    hunks.push(hunk);
    at += length;
  }
  const length = at - start;
  if (from === undefined && to === undefined) throw badLine(start + 1, "a path", "/dev/null twice");
  if (from === undefined)
    return [{ kind: "add", path: to ?? "", content: contentOf(hunks) }, length];
  if (to === undefined) return [{ kind: "delete", path: from }, length];
  const move = to === from ? undefined : { to };
  return [{ kind: "update", path: from, ...move, hunks }, length];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

function unifiedHunk(
  lines: readonly string[],
  start: number,
  number: number,
): readonly [Hunk, number] {
  const header = HUNK.exec(lines[start] ?? "");
  const body: string[] = [];
  let at = start + 1;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const isNext = line.startsWith("--- ") && (lines[at + 1] ?? "").startsWith("+++ ");
    if (/^(@@|diff --git )/.test(line) || isNext) break;
    if (/^[ +-]/.test(line) || line === "") body.push(line);
    else if (!line.startsWith("\\")) break; // the file itself determines "\ No newline at end of file"
  }
  const trimmed = withoutBlankEnd(body, header === null ? 0 : Number(header[2] ?? 1));
  const first = Number(header?.[1] ?? 0);
  const place = header === null || first === 0 ? undefined : { at: first - 1 };
  return [{ number, ...sides(trimmed), ...place }, at - start];
}

/** Removes blank lines after a hunk, down to the number of lines in its header. */
function withoutBlankEnd(body: readonly string[], olds: number): readonly string[] {
  const lines = [...body];
  let count = lines.filter((line) => !line.startsWith("+")).length;
  for (; lines.at(-1) === "" && count > olds; count--) lines.pop();
  return lines;
}

function sides(lines: readonly string[]): Pick<Hunk, "old" | "new"> {
  return {
    old: lines.filter((line) => !line.startsWith("+")).map(withoutMark),
    new: lines.filter((line) => !line.startsWith("-")).map(withoutMark),
  };
}

function withoutMark(line: string): string {
  return line.slice(1);
}

function contentOf(hunks: readonly Hunk[]): string {
  return hunks.flatMap((hunk) => hunk.new.map((line) => `${line}\n`)).join("");
}

function headerPath(line: string, prefix: string): string | undefined {
  const [path = ""] = line.slice(4).split("\t");
  const plain = path.trim().replace(/^"(.*)"$/, "$1");
  if (plain === "/dev/null") return undefined;
  return plain.startsWith(prefix) ? plain.slice(prefix.length) : plain;
}

function badLine(line: number, expected: string, got: string): EngineError {
  return bad(`at line ${line} expected ${expected}, got ${preview(got)}`);
}

function bad(reason: string): EngineError {
  return new EngineError("invalid_input", `the patch cannot be read: ${reason}`);
}
