// Fenced code blocks in a text.
//
//   CBK1. A block has AG2's form: three backticks, an optional word, lines, three backticks. It keeps its indentation.
//   CBK2. A fence of four or more backticks is one block, including all fences inside it.
//   CBK3. Text in a fence with other words, such as `c++`, is no block, and neither is the text between two blocks.
import { looksLikePython } from "./looks-like-python.ts";

/** A piece of code in a text. */
export type CodeBlock = {
  /** The written language, or else the detected one. Empty if detection fails. */
  readonly language: string;
  readonly code: string;
};

/** Opening fence with the rest of its line. Other words may precede it. */
const OPENING = /(`{3,})([^`\n]*)$/;
const WORD = /^[ \t]*(\w*)[ \t]*$/;

/** The blocks of a text, in their order. */
export function codeBlocks(text: string): readonly CodeBlock[] {
  const lines = text.split(/\r?\n/);
  const blocks: CodeBlock[] = [];
  let unclosed = Number.POSITIVE_INFINITY; // no later fence of this length can close
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

/** Finds the line that closes a fence. Words may follow three backticks, but not a longer fence. */
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

/** Detects the language of code without one. */
function languageOf(code: string): string {
  if (/^(?:python3? |pip)/.test(code)) return "sh";
  return looksLikePython(code) ? "python" : "";
}
