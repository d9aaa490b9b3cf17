// Code in a text: what stands between fences.
//
//   CBK1. A block is what AG2 takes for one: three backticks, a word or none, lines, three backticks. It keeps its indentation.
//   CBK2. A fence of four or more backticks is one block, with all fences that it has inside.
//   CBK3. What a fence with other words encloses, such as `c++`, is no block, and neither is what stands between two blocks.
import { looksLikePython } from "./looks-like-python.ts";

/** A piece of code in a text. */
export type CodeBlock = {
  /** As it was written, or worked out where nothing was; empty for one that cannot be. */
  readonly language: string;
  readonly code: string;
};

/** Behind other words of its line, too; what follows it there. */
const OPENING = /(`{3,})([^`\n]*)$/;
const WORD = /^[ \t]*(\w*)[ \t]*$/;

/** The blocks of a text, in their order. */
export function codeBlocks(text: string): readonly CodeBlock[] {
  const lines = text.split(/\r?\n/);
  const blocks: CodeBlock[] = [];
  let unclosed = Number.POSITIVE_INFINITY; // fences as long as this have no end any more
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const [, fence, words = ""] = OPENING.exec(line) ?? [];
    if (fence === undefined || fence.length >= unclosed) continue;
    const [, language] = WORD.exec(words) ?? [];
    if (language === undefined && !line.trimStart().startsWith(fence)) continue;
    const end = closingOf(lines, { at, fence });
    if (end === undefined) {
      unclosed = fence.length;
      continue;
    }
    const code = lines.slice(at + 1, end).join("\n");
    if (language !== undefined && code.trim() !== "")
      blocks.push({ language: language === "" ? languageOf(code) : language, code });
    at = end;
  }
  return blocks;
}

/** The line that closes a fence: of a long one by itself, of three backticks also with words behind it. */
function closingOf(
  lines: readonly string[],
  { at, fence }: { readonly at: number; readonly fence: string },
): number | undefined {
  for (let index = at + 1; index < lines.length; index++) {
    const line = (lines[index] ?? "").trimStart();
    if (!line.startsWith(fence)) continue;
    if (fence.length === 3 || line.replaceAll("`", "").trim() === "") return index;
  }
  return undefined;
}

/** The language of code that names none. */
function languageOf(code: string): string {
  if (/^(?:python3? |pip)/.test(code)) return "sh";
  return looksLikePython(code) ? "python" : "";
}
