// Prose of the demo model: results of tools and input texts, picked and arranged as instructed.
//
//   - Apart from the frame of a letter, all content comes from the input.
//   - A question is answered by texts that share a telling word with it, or not at all. The same applies to any ask
//     whose only sources stand beside it: memories, documents, the earlier conversation, the agent's backstory.
//   - Arranged text (sections, lists, JSON) is kept whole; prose is cut to its closest sentences.
import { noAnswer } from "./no-answer.ts";
import { releaseSections } from "./commit-lines.ts";
import { isQuestion } from "../../text/index.ts";
import { factKey, factsOf, parseJson } from "./facts.ts";
import type { Facts } from "./facts.ts";
import { signatures } from "./fill-string.ts";
import type { Reading, ToolResult } from "./reading.ts";
import { humanize, renderJson } from "./render-json.ts";
import { titleOf } from "./title.ts";
import {
  capitalize,
  headedSentencesOf,
  overlap,
  sentencesOf,
  stemSet,
  tellingStems,
} from "./words.ts";

/** Words that ask for a text of some length, whose parts may be copied unchanged. */
const WRITING = /\b(?:notes|report|list|draft|write|group|format|markdown)\b/i;

const DEFAULT_BULLETS = 5;
const DEFAULT_SENTENCES = 4;
const MAX_ANSWER_CHARACTERS = 8_000;
const SHORT_RESULT_CHARACTERS = 120;
const MAX_CLOSEST = 3;
/** Share of the best score from which a sentence is also an answer. */
const NEARLY = 0.7;
const NUMBER_WORDS = [
  "zero",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
];

/** The answer in text, without the closing notice. */
export function composeAnswer(reading: Reading): string {
  const asked = reading.instructions.join("\n");
  const failed = reading.toolResults.filter(isFailure);
  const results = reading.toolResults.filter((result) => !isFailure(result));
  const notes = failed.map(({ tool, content }) => `${tool} did not help: ${firstLine(content)}`);
  const answer = wantsLetter(asked)
    ? letter(reading, results)
    : arranged(reading, { asked, results });
  return [answer.slice(0, MAX_ANSWER_CHARACTERS), ...notes]
    .filter((part) => part !== "")
    .join("\n\n");
}

function arranged(
  reading: Reading,
  { asked, results }: { asked: string; results: readonly ToolResult[] },
): string {
  const isMarkdown = /\bmarkdown\b/i.test(asked);
  const rendered = rankedTexts(reading, results).map((text) => ({
    text: shaped(text),
    isArranged: isArranged(shaped(text)),
  }));
  const [only] = results;
  if (results.length === 1 && only !== undefined && isShort(only.content))
    return `${capitalize(only.content.trim())} (from ${only.tool})`;
  const question = reading.instructions.find(isQuestion);
  const asksOne = question !== undefined && !WRITING.test(asked);
  const whole = rendered
    .filter(
      ({ text, isArranged: is }) =>
        is && !asksOne && !wantsLess(asked) && overlapsOrIsResult(text, { asked, results }),
    )
    .map(({ text }) => text);
  if (whole.length > 0) return withTitle(unique(whole).join("\n\n"), { asked, isMarkdown });
  const texts = rendered.map(({ text }) => text);
  const own =
    question !== undefined ? closestSentences(texts, reading) : pickSentences(texts, asked);
  const picked = own.length > 0 ? own : closestSentences(reading.references, reading);
  if (picked.length === 0) return noAnswer(question ?? reading.instructions[0] ?? "nothing");
  const body = wantsBullets(asked)
    ? picked.map((sentence) => `- ${sentence}`).join("\n")
    : capitalize(inOneParagraph(picked));
  return isMarkdown ? withTitle(body, { asked, isMarkdown }) : body;
}

/** The results of tools if there are any, otherwise the input texts. */
function rankedTexts(reading: Reading, results: readonly ToolResult[]): string[] {
  return results.length > 0 ? results.map(({ content }) => content) : [...reading.material];
}

function shaped(text: string): string {
  const json = parseJson(text);
  if (json !== undefined) return renderJson(json);
  return releaseSections(text) ?? headed(text);
}

/** `Features:` over a list becomes a heading. */
function headed(text: string): string {
  return text
    .replace(/^\**([\p{L}][\p{L}\p{N} &/-]{1,40}):?\**:?[ \t]*\n+(?=[ \t]*[-*•] )/gmu, "## $1\n\n")
    .trim();
}

function isArranged(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const marked = lines.filter((line) => /^\s*(?:[-*•]\s|\d{1,2}[.)]\s|#{1,4}\s)/.test(line));
  return marked.length >= 2 && marked.length >= lines.length / 2;
}

function overlapsOrIsResult(
  text: string,
  { asked, results }: { asked: string; results: readonly ToolResult[] },
): boolean {
  return results.length > 0 || WRITING.test(asked) || overlap(stemSet(asked), text) >= 2;
}

/** Puts the ask's own title over the body, in place of the body's title. */
function withTitle(
  body: string,
  { asked, isMarkdown }: { asked: string; isMarkdown: boolean },
): string {
  const title = isMarkdown || /^##\s/m.test(body) ? titleOf(asked) : undefined;
  return title === undefined ? body : `# ${title}\n\n${body.replace(/^#\s.*\n+/, "")}`;
}

/** Lines of a mail without content: greeting, close, and its head. */
const COURTESY =
  /^(?:(?:hello|hi|hey|dear|best|kind|warm|many thanks|thanks|thank you|cheers|sincerely|regards|yours)\b.{0,30}|(?:from|to|cc|subject):.*)$/i;

function pickSentences(texts: readonly string[], asked: string): string[] {
  const stems = stemSet(asked);
  const names = signatures(texts);
  const all = unique(texts.flatMap(sentencesOf)).filter(
    (sentence) => !COURTESY.test(sentence) && !names.includes(sentence),
  );
  const scored = all.map((sentence, index) => ({
    sentence,
    index,
    score:
      overlap(stems, sentence) / Math.sqrt(4 + sentence.length / 40) +
      (/\d/.test(sentence) ? 0.1 : 0) +
      0.3 / (1 + index),
  }));
  const best = scored
    .toSorted((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, countAsked(asked));
  return best.toSorted((a, b) => a.index - b.index).map(({ sentence }) => sentence);
}

/** Lines without an end, such as those of a table, are parted by semicolons. */
function inOneParagraph(picked: readonly string[]): string {
  return picked
    .map((each, index) =>
      index < picked.length - 1 && !/[.!?:;,。！？：；、।؟۔]$/.test(each) ? `${each};` : each,
    )
    .join(" ");
}

/**
 * Returns the sentences that share nearly as many telling words with the ask as the best one. A heading's words count
 * for the text under it: `## Opening hours` over `Monday to Friday: 9 to 18`.
 */
function closestSentences(texts: readonly string[], { instructions }: Reading): string[] {
  const asked = instructions.join("\n");
  const stems = tellingStems(asked);
  const wantsFigure = ASKS_FIGURE.test(asked);
  const seen = new Set<string>();
  const scored = texts.flatMap(headedSentencesOf).flatMap(({ sentence, heading }) => {
    if (seen.has(sentence) || isQuestion(sentence)) return [];
    seen.add(sentence);
    const shared = overlap(stems, `${sentence} ${heading}`);
    return shared === 0
      ? []
      : [{ sentence, score: shared + (wantsFigure && hasFigure(sentence) ? 0.9 : 0) }];
  });
  const best = Math.max(...scored.map(({ score }) => score));
  return scored
    .filter(({ score }) => score >= best * NEARLY)
    .slice(0, wantsBullets(asked) ? countAsked(asked) : MAX_CLOSEST)
    .map(({ sentence }) => sentence);
}

const ASKS_FIGURE =
  /\b(?:when|how (?:long|many|much|often|old|far|big|large|heavy|high|tall|wide|deep|fast|early|late)|what time|which day)\b|\b(?:wann|wie (?:viel|lange|oft|hoch|alt|groß)|combien|quand|cuánt|cuándo|quant[oiae]|quando|hoeveel|wanneer)|сколько|когда|多少|多久|[几幾何]|いつ|いくら|얼마|언제|며칠|몇|กี่|เท่าไ|เมื่อไ|कितन|कब|كم|متى|כמה|מתי/iu;

function hasFigure(sentence: string): boolean {
  return /\p{Nd}|[一二三四五六七八九十百千]|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:noon|midnight|daily|every|always|never|one|two|three|four|five|six|seven|eight|nine|ten|twelve)\b/iu.test(
    sentence,
  );
}

/** `ten bullet points`, `3 sentences`, `one paragraph`, `briefly` */
function countAsked(asked: string): number {
  const [, count = ""] =
    /\b(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten)\s+(?:\w+\s+)?(?:bullet|point|sentence|item|line|fact|idea|tip)/i.exec(
      asked,
    ) ?? [];
  const counted = NUMBER_WORDS.indexOf(count.toLowerCase());
  if (counted > 0) return counted;
  if (/^\d+$/.test(count) && Number(count) > 0) return Number(count);
  if (wantsBullets(asked)) return DEFAULT_BULLETS;
  return /\b(?:brief|briefly|short|shorter|concise)\b/i.test(asked) ? 2 : DEFAULT_SENTENCES;
}

function wantsBullets(asked: string): boolean {
  return /\b(?:bullets?|points|list)\b/i.test(asked);
}

function wantsLess(asked: string): boolean {
  return (
    /\b(?:summari[sz]e|summary|shorter|sentences?|briefly)\b/i.test(asked) && !wantsBullets(asked)
  );
}

const LETTER = [
  /\b(?:draft|write|compose|prepare|send)\s+(?:(?!of\b|from\b|in\b|about\b|this\b|these\b)[\w-]+\s+){0,5}(?:reply|e-?mail|mail|letter)\b/i,
  /\b(?:answer|response|reply|respond) to (?:the|this|a|an|our|their)\s+(?:[\w-]+\s+)?(?:customer|client|e-?mail|mail|message|ticket|user|person|sender)/i,
  /^(?:an?|the)\s+(?:(?!of\b|from\b)[\w-]+\s+){0,4}(?:reply|e-?mail|mail|letter)\b/im,
];

function wantsLetter(asked: string): boolean {
  return LETTER.some((pattern) => pattern.test(asked));
}

/** Writes a letter around the facts: greeting, understood request, close. */
function letter(reading: Reading, results: readonly ToolResult[]): string {
  const texts = [...results.map(({ content }) => content), ...reading.material];
  const facts = factsOf(texts);
  const name =
    fact(facts, ["customer", "customername", "name", "sender", "sendername", "from", "contact"]) ??
    signatures(texts)[0];
  const about = fact(facts, ["subject", "issue", "problem", "topic", "request", "question"]);
  const noted = listed(facts, [name, about]);
  const quoted =
    noted.length > 0
      ? noted
      : pickSentences(texts, "three points").map((sentence) => `- ${sentence}`);
  const writer = /^You are (?:an? |the )?(.{2,60}?)\.?$/m.exec(reading.system)?.[1];
  return [
    name === undefined ? "Hello," : `Hello ${name.replace(/\s*<.*$/, "")},`,
    about === undefined
      ? "Thank you for your message."
      : `Thank you for your message about: ${about.replace(/\.$/, "")}.`,
    quoted.length === 0 ? "" : `This is what we understood:\n\n${quoted.join("\n")}`,
    "If any of this is not right, please tell us.",
    `Kind regards\n${writer === undefined ? "The team" : capitalize(writer)}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function fact(facts: Facts, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = facts.get(key)?.value;
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

const MAX_LISTED = 8;

function listed(facts: Facts, taken: readonly (string | undefined)[]): string[] {
  return [...facts.values()]
    .filter(
      ({ label, value }) =>
        !/mail|^to$/i.test(factKey(label)) &&
        value !== "" &&
        value !== null &&
        !(typeof value === "string" && taken.includes(value)),
    )
    .map(
      ({ label, value }) =>
        [
          label,
          Array.isArray(value)
            ? value.map(renderJson).join(", ")
            : typeof value === "object"
              ? ""
              : renderJson(value),
        ] as const,
    )
    .filter(([, text]) => text !== "" && text.length < 300)
    .slice(0, MAX_LISTED)
    .map(([label, text]) => `- ${humanize(label)}: ${text}`);
}

function isShort(text: string): boolean {
  return (
    text.length <= SHORT_RESULT_CHARACTERS && !text.includes("\n") && parseJson(text) === undefined
  );
}

function isFailure({ content }: ToolResult): boolean {
  return /^\s*(?:error\b|\{"error")/i.test(content);
}

function firstLine(text: string): string {
  return (text.trim().split("\n")[0] ?? "").slice(0, 200);
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
