// Words of runs and of search queries, in a form for comparison.
//
//   RTX1. Words are compared in lower case and without accents. In scripts without spaces between words each character
//         is a word.
//   RTX2. The only operators of a query are quotes around a phrase, and `*` at the end of a word, which makes it a
//         prefix.
import { invalidInput } from "../base/invalid-input.ts";

/** Maximum characters of each value. */
const MAX_VALUE_LENGTH = 2_000;
const MAX_QUESTION_LENGTH = 200;
const MAX_WORDS = 10;

/** Returns the words of a run: ` run 1 briefing edge computing `. `values` are JSON texts, whose keys are left out. */
export function runText({
  names,
  values,
  error = "",
}: {
  readonly names: readonly string[];
  readonly values: readonly (string | undefined)[];
  readonly error?: string | undefined;
}): string {
  const texts = values.map((json = "") => textOfJson(json.slice(0, 2 * MAX_VALUE_LENGTH)));
  return words(
    [...names, ...texts, error].map((text) => text.slice(0, MAX_VALUE_LENGTH)).join(" "),
  );
}

/**
 * Returns the texts that must all occur in a `runText`. Undefined for a query without words, which matches no run.
 * Throws `invalid_input`.
 */
export function searchedTexts(question: string): readonly string[] | undefined {
  if (question.length > MAX_QUESTION_LENGTH)
    throw refusal(`at most ${MAX_QUESTION_LENGTH} characters, got ${question.length}`);
  const searched: string[] = [];
  let count = 0;
  for (const [, phrase, word = ""] of question.matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const text = words(phrase ?? word);
    if (text.trim() === "") continue;
    count += text.trim().split(" ").length;
    searched.push(phrase === undefined && word.endsWith("*") ? text.trimEnd() : text);
  }
  if (count > MAX_WORDS) throw refusal(`at most ${MAX_WORDS} words, got ${count}`);
  return searched.length === 0 ? undefined : searched;
}

/** Returns the words in lower case without accents, with one space around each. */
function words(text: string): string {
  const found = text
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(
      /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/gu,
      " $& ",
    )
    .match(/[\p{L}\p{N}]+/gu);
  return found === null ? " " : ` ${found.join(" ")} `;
}

/** The texts in the beginning of a JSON text. */
function textOfJson(json: string): string {
  return json.replaceAll(/"[^"\\]*"\s*:/g, " ").replaceAll(/\\(u[\da-f]{4}|.)/gi, " ");
}

function refusal(expected: string): Error {
  return invalidInput("the query does not fit", [{ path: "/q", message: `expected ${expected}` }]);
}
