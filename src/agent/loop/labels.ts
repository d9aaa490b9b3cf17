// Positions of the text form's labels in a text: `Final Answer:`, `Action:`, `Action Input:`, `Observation:`.
//
//   LA1. A label begins a line, in any case, with or without emphasis or heading marks; its colon stands inside or
//        outside of the emphasis. A heading or emphasised line of its own needs no colon.
//   LA2. Labels in a code block come last: a label outside of it takes its place, unless the block is the whole text
//        and opens with a label.

export type Label = {
  /** Start of the line's marks. */
  readonly start: number;
  /** Start of the text behind the label. */
  readonly end: number;
  /** True for the spelling of the text form: no emphasis, no heading, the same case. */
  readonly isExact: boolean;
  /** Emphasis opened before the label and closed behind the text: `**Final Answer: 42**`. */
  readonly open: string;
};

const MARKS = "^ {0,3}(#{1,6} {0,3})?(?:(?:assistant|ai) {0,2}: {0,3})?([*_]{0,3})";
const COLON = "([*_]{0,3})[ \\t]{0,3}([:：]?)([*_]{0,3})";
const NUMBER = "[ _-]{0,2}\\d{0,4}";

const FINAL_ANSWER = new RegExp(`${MARKS}(Final[ _-]?Answer)${COLON}`, "gim");
const ACTION = new RegExp(`${MARKS}(Action${NUMBER}(?![ _-]{0,2}Input))${COLON}`, "gim");
const ACTION_INPUT = new RegExp(`${MARKS}(Action${NUMBER}[ _-]{0,2}Input${NUMBER})${COLON}`, "gim");

export function finalAnswerLabels(text: string): readonly Label[] {
  return labelsIn(text, FINAL_ANSWER, "Final Answer");
}

export function actionLabels(text: string): readonly Label[] {
  return labelsIn(text, ACTION, "Action").filter(({ hasColon }) => hasColon);
}

export function actionInputLabels(text: string): readonly Label[] {
  return labelsIn(text, ACTION_INPUT, "Action Input").filter(({ hasColon }) => hasColon);
}

/** Finds lines that begin with the word of the observation marker, in any spelling. */
export function observationLabels(text: string, marker: string): readonly Label[] {
  const word = marker.trim().replace(/[\s:：]+$/, "");
  if (word === "") return [];
  const pattern = new RegExp(`${MARKS}(${word.replace(/[^\w ]/g, "\\$&")})${COLON}`, "gim");
  return labelsIn(text, pattern, word);
}

function labelsIn(
  text: string,
  pattern: RegExp,
  exact: string,
): ReadonlyArray<Label & { readonly hasColon: boolean }> {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [whole, heading = "", before = "", word = "", inside = "", colon = "", after = ""] =
      match;
    const lineEnd = (text.indexOf("\n", match.index) + 1 || text.length + 1) - 1;
    const closes = before !== "" && (inside !== "" || after !== "");
    const hasColon = colon !== "";
    const end = match.index + whole.length - (before === "" ? after.length : 0);
    const standsAlone = (heading !== "" || closes) && text.slice(end, lineEnd).trim() === "";
    if (!hasColon && !standsAlone) return [];
    const isExact = heading === "" && before === "" && hasColon && word === exact;
    const open = closes ? "" : before;
    return [{ start: match.index, end, isExact, open, hasColon }];
  });
}

/** A part of a text, from `start` up to `end`. */
export type Span = { readonly start: number; readonly end: number };

const FENCE_LINE = /^ {0,3}(`{3,}|~{3,}).*$/gm;

const OPENS_WITH_LABEL =
  /^\s*[`~]{3,}\w*\s+[*_#]{0,4} ?(?:Thought|Action|Final[ _-]?Answer)[*_]{0,3} ?\d{0,4} ?(?:[:：]|\n)/i;

/** Returns the closed code blocks of a text, unless one of them is the whole text and opens with a label. */
export function codeBlocks(text: string): readonly Span[] {
  const blocks: Span[] = [];
  let opened: { readonly at: number; readonly fence: string } | undefined;
  for (const match of text.matchAll(FENCE_LINE)) {
    const fence = match[1] ?? "";
    if (opened === undefined) opened = { at: match.index, fence };
    else if (fence[0] === opened.fence[0] && fence.length >= opened.fence.length) {
      blocks.push({ start: opened.at, end: match.index + match[0].length });
      opened = undefined;
    }
  }
  const isAll = ({ start, end }: Span): boolean =>
    text.slice(0, start).trim() === "" &&
    text.slice(end).trim() === "" &&
    OPENS_WITH_LABEL.test(text);
  return blocks.filter((block) => !isAll(block));
}

export function isIn(spans: readonly Span[], position: number): boolean {
  return spans.some(({ start, end }) => position >= start && position < end);
}
