// The final answer in a text with a label for it.
//
//   FA1. The last `Final Answer:` at the start of a line counts. Other spellings of the label count only if there is no
//        such line.
//   FA2. If the prompt did not explain the label, a structured document stays whole when a spelling could be a section
//        heading. A sentence about the label, a quotation, and code also stay whole.
//   FA3. Text inside a tool's arguments is no label. A label without text behind it yields to an earlier one.
import { codeBlocks, finalAnswerLabels, isIn, type Label, type Span } from "./labels.ts";

/** Form of the request: with explained labels, with the provider's tools, or for text alone. */
export type AnswerForm = "text" | "native" | "none";

const EXACT = "Final Answer:";
/**
 * Maximum number of labels within lines, counted from the end of the text, and maximum length of the line before one,
 * in characters.
 */
const MAX_INLINE = 100;
const MAX_LINE = 2_000;
const IN_PROTOCOL =
  /^\s*(?:```\w*\s+)?(?:[*_#]{0,4} ?(?:Thought|Action)[*_]{0,3} ?\d{0,4} ?[:：]|#{1,4} ?[*_]{0,3}Thought[*_]{0,3}\s*\n)/i;
const STRUCTURE =
  /^ {0,3}(?:#{1,6} |[-*+•] |\d{1,3}[.)] |\||```|~~~)|^[*_]{2,3}[^*_\n]{1,80}[*_]{2,3}:?[ \t]*$/m;
const ENDS_SENTENCE = /[.!?…。！？)][*_]{0,3}$/;
const IN_THOUGHT = /^\s*[*_]{0,3}Thought[*_]{0,3} ?[:：]/i;

/** The text behind the label, or undefined. `except` are parts of the text in which no label counts. */
export function finalAnswerIn(
  text: string,
  form: AnswerForm,
  except: readonly Span[] = [],
): string | undefined {
  const blocks = codeBlocks(text);
  const all = finalAnswerLabels(text).filter(({ start }) => !isIn(except, start));
  const outside = all.filter(({ start }) => !isIn(blocks, start));
  const inProtocol = IN_PROTOCOL.test(text);
  const structureAt = text.search(STRUCTURE);
  return (
    last(text, outside, ({ isExact }) => isExact) ??
    last(text, outside, ({ isExact, start }) => {
      if (isExact) return false;
      return form === "text" || inProtocol || structureAt < 0 || structureAt >= start;
    }) ??
    last(text, inlineLabels(text, form, [...blocks, ...except]), () => true) ??
    (inProtocol ? last(text, all, ({ isExact }) => isExact) : undefined) ??
    (form === "text" || inProtocol || outside[0]?.start === 0 ? emptyAnswer(outside) : undefined)
  );
}

/** A text that ends with the label is an empty answer. */
function emptyAnswer(labels: readonly Label[]): string | undefined {
  return labels.some(({ isExact }) => isExact) ? "" : undefined;
}

function last(
  text: string,
  labels: readonly Label[],
  counts: (label: Label) => boolean,
): string | undefined {
  let end = text.length;
  for (const label of labels.toReversed()) {
    if (!counts(label)) continue;
    const behind = text
      .slice(label.end, end)
      .trim()
      .replace(/^(?:Final Answer:\s*)+/, "");
    const output = withoutLoneFence(withoutLoneEmphasis(behind, label));
    if (output !== "") return output;
    end = label.start;
  }
  return undefined;
}

/** Finds labels within a line: behind a whole sentence or in a thought; anywhere, if the prompt explained them. */
function inlineLabels(text: string, form: AnswerForm, except: readonly Span[]): readonly Label[] {
  const labels: Label[] = [];
  const places: number[] = [];
  for (let at = text.indexOf(EXACT); at >= 0; at = text.indexOf(EXACT, at + 1)) places.push(at);
  for (const at of places.slice(-MAX_INLINE)) {
    if (isIn(except, at)) continue;
    const above = text.slice(Math.max(0, at - MAX_LINE), at);
    const line = above.slice(above.lastIndexOf("\n") + 1);
    const isQuoted = /["'“‘«`][*_]{0,3}$/.test(line) || (line.split("`").length - 1) % 2 === 1;
    const open = /[*_]{1,3}$/.exec(line)?.[0] ?? "";
    const before = line.slice(0, line.length - open.length).trimEnd();
    const isMarked = form === "text" || IN_THOUGHT.test(line) || ENDS_SENTENCE.test(before);
    if (isQuoted || !isMarked) continue;
    const closing = open === "" ? null : /^[*_]{1,3}/.exec(text.slice(at + EXACT.length));
    const end = at + EXACT.length + (closing?.[0].length ?? 0);
    labels.push({ start: at, end, isExact: true, open: closing === null ? open : "" });
  }
  return labels;
}

/** Drops emphasis opened before the label and closed at the end of the first line. */
function withoutLoneEmphasis(output: string, { open }: Label): string {
  if (open === "") return output;
  const [line = ""] = output.split("\n", 1);
  if (!line.endsWith(open) || line.indexOf(open) < line.length - open.length) return output;
  return line.slice(0, -open.length).trimEnd() + output.slice(line.length);
}

/** Drops an unmatched code fence at the end. */
function withoutLoneFence(output: string): string {
  const isLone = output.endsWith("```") && (output.split("```").length - 1) % 2 === 1;
  return isLone ? output.slice(0, -3).trimEnd() : output;
}
