// Parts of a prompt: its instructions, its material, and further references.
import { isQuestion, sentencesIn } from "../../text/index.ts";

type SplitPrompt = { readonly instructions: string[]; readonly material: string[] };

const TAGS_OF_REFERENCES: ReadonlySet<string> = new Set(["memory", "knowledge"]);

const TAGS_THAT_ASK: ReadonlySet<string> = new Set(["feedback", "reason", "task", "instructions"]);
const CONTEXT_SEPARATOR = /\n-{10}\n/;

/** Sorts the lines of a prompt: tagged and fenced blocks first, then the text between them. */
export function splitPrompt(text: string): SplitPrompt & { readonly references: string[] } {
  const blocks: string[] = [];
  const references: string[] = [];
  const loose: string[] = [];
  const asking: string[] = [];
  const lines = text.split("\n");
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const tag = /^<([a-z][\w-]*)>$/.exec(line)?.[1];
    const close = tag === undefined ? (line.startsWith("```") ? "```" : undefined) : `</${tag}>`;
    const end = close === undefined ? -1 : lines.indexOf(close, index + 1);
    if (end < 0) {
      loose.push(line);
      continue;
    }
    const block = lines.slice(index + 1, end).join("\n");
    index = end;
    const heading = loose.at(-1) ?? "";
    if (tag !== undefined && TAGS_OF_REFERENCES.has(tag)) {
      if (heading !== "") loose.pop();
      references.push(withoutMarks(block));
      continue;
    }
    if (/[:：]$/.test(heading))
      loose.splice(-1, 1, ...(isAsking(heading) ? [heading.slice(0, -1)] : []));
    if (tag !== undefined && TAGS_THAT_ASK.has(tag)) asking.push(block);
    else blocks.push(...block.split(CONTEXT_SEPARATOR));
  }
  const parts = splitLoose(loose.join("\n"));
  return {
    instructions: [...parts.instructions, ...asking.flatMap(sentences)],
    material: [...parts.material, ...blocks],
    references,
  };
}

/** Removes the scores of memories and the places of passages. */
function withoutMarks(block: string): string {
  return block
    .replaceAll(/^(\s*-\s*)?\(score=[\d.]+\)\s*/gm, "$1")
    .replaceAll(/^\[[^\]\n]+\]$/gm, "");
}

const EXPECTED = /^[ \t]*expected (?:result|output|answer)\b[^:\n]{0,40}:[ \t]*/im;

function splitLoose(text: string): SplitPrompt {
  const expectedAt = text.search(EXPECTED);
  const expected = expectedAt < 0 ? "" : text.slice(expectedAt).replace(EXPECTED, "");
  const main = expectedAt < 0 ? text : text.slice(0, expectedAt);
  const parts = splitParagraphs(main.replace(/^\s*(?:current )?task:\s*/i, ""));
  return {
    instructions: [...parts.instructions, ...sentences(expected)],
    material: parts.material,
  };
}

/**
 * Material starts after the first line with a colon at its end, or with the first paragraph without a question or
 * order.
 */
function splitParagraphs(text: string): SplitPrompt {
  const colon = /[:：][ \t]*\n\s*(?=\S)/.exec(text);
  if (colon !== null && !isOutline(text, colon.index)) {
    const head = splitSentences(text.slice(0, colon.index));
    return {
      instructions: head.instructions,
      material: [text.slice(colon.index + 1).trim(), ...head.material],
    };
  }
  const paragraphs = text.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== "");
  if (paragraphs.length < 2 && !text.trim().includes("\n")) return splitSentences(text);
  const units = paragraphs.length < 2 ? text.trim().split("\n") : paragraphs;
  const asks = units.map((unit) => isAsking(sentences(unit)[0] ?? ""));
  const first = asks.indexOf(false);
  if (first < 0) return { instructions: units.flatMap(sentences), material: [] };
  const last =
    asks.at(-1) === true && units.at(-1)?.includes("\n") === false
      ? units.length - 1
      : units.length;
  return {
    instructions: [...units.slice(0, first), ...units.slice(last)].flatMap(sentences),
    material: [units.slice(first, last).join(paragraphs.length < 2 ? "\n" : "\n\n")],
  };
}

/** `Write notes with:` and a list is a wish for the answer's form; `Group these:` and a list is material. */
function isOutline(text: string, colonAt: number): boolean {
  const before = text.slice(0, colonAt).split("\n").at(-1) ?? "";
  const after = text
    .slice(colonAt + 1)
    .trim()
    .split("\n");
  const isList = after.every(
    (line) => line.trim() === "" || (/^\s*(?:[-*•]|\d{1,2}[.)])\s/.test(line) && line.length < 80),
  );
  return isList && !/\b(?:this|these|following|below|here|given)\b/i.test(before);
}

function splitSentences(text: string): SplitPrompt {
  const all = sentences(text).flatMap(colonParts);
  const instructions = all.filter(isAsking);
  const rest = all.filter((sentence) => !instructions.includes(sentence)).join(" ");
  return instructions.length === 0
    ? { instructions: all, material: [] }
    : { instructions, material: rest === "" ? [] : [rest] };
}

const POINTS_AHEAD =
  /\b(?:this|these|following|below|text|mail|message|question|report|notes?|article|log)\b/i;

/** `Summarize this text: Tea is a drink.` is an order and a text, `Answer this question: Why?` a question. */
function colonParts(sentence: string): readonly string[] {
  const [, head = "", tail = ""] = /^([^:]{3,120}):\s+(\S.*)$/.exec(sentence) ?? [];
  if (!isAsking(head) || !POINTS_AHEAD.test(head)) return [sentence];
  return isAsking(tail) ? [tail] : [head, tail];
}

export function sentences(text: string): string[] {
  return text
    .split(/\n+/)
    .flatMap(sentencesIn)
    .map((sentence) => sentence.replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/, "").trim())
    .filter((sentence) => sentence !== "");
}

const ORDERS: ReadonlySet<string> = new Set(
  (
    "add analyse analyze answer ask assess be brainstorm build calculate check choose classify collect compare compile compose " +
    "compute convert count create decide define describe design determine develop do draft edit ensure estimate evaluate examine " +
    "explain extract fetch fill find format gather generate get give group help identify improve include investigate keep list " +
    "look make name note organize outline parse perform pick plan prepare present prioritize produce propose provide rank read " +
    "recommend reply report research respond return review revise rewrite say search select send show sort state suggest summarise " +
    "summarize take tell think translate turn update use verify wait work write please format compose transform"
  ).split(" "),
);
const LEAD_INS =
  /^(?:based|using|given|from|for|with|in|if|when|to|then|now|first|finally|carefully|your|you)\b/i;

/** True for a question, or a sentence that starts with an order, perhaps after a lead-in. */
export function isAsking(sentence: string): boolean {
  if (isQuestion(sentence)) return true;
  const words = sentence.toLowerCase().match(/[a-z]+/g) ?? [];
  return (
    ORDERS.has(words[0] ?? "") ||
    (LEAD_INS.test(sentence) && words.slice(1, 25).some((word) => ORDERS.has(word)))
  );
}
