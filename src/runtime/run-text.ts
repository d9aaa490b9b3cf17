// Words of runs and of search queries, in a form for comparison.
//
//   RTX1. Words are compared in their folded form (TXF1). In scripts without spaces between words, and in Korean, each
//         character is a word. A number is also found without its unit and its separators.
//   RTX2. The only operators of a query are quotes around a phrase, and `*` at the end of a word, which makes it a
//         prefix.
//   RTX3. A query is also searched in the first form of stored words, until `POST /admin/reindex` has written the words of
//         a run again.
import type { Piece } from "../text/pieces.ts";
import { wordPieces, wordsOf } from "../text/words.ts";
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

/** Forms of one text of a query. A `runText` with any of them matches. */
type SearchedText = readonly string[];

/**
 * Returns the texts of a query; a `runText` must have each in one of its forms. Undefined for a query without words, which
 * matches no run. Throws `invalid_input`.
 */
export function searchedTexts(question: string): readonly SearchedText[] | undefined {
  if (question.length > MAX_QUESTION_LENGTH)
    throw refusal(`at most ${MAX_QUESTION_LENGTH} characters, got ${question.length}`);
  const searched: SearchedText[] = [];
  let count = 0;
  for (const [, phrase, word = ""] of question.matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const text = phrase ?? word;
    const pieces = wordPieces(text);
    if (pieces.length === 0) continue;
    count += pieces.length;
    const forms = [
      wordsText(pieces.flatMap(charactersOf)),
      wordsText(wordsOf(text)),
      firstText(text),
    ];
    const isPrefix = phrase === undefined && word.endsWith("*");
    searched.push([...new Set(forms.map((form) => (isPrefix ? form.trimEnd() : form)))]);
  }
  if (count > MAX_WORDS) throw refusal(`at most ${MAX_WORDS} words, got ${count}`);
  return searched.length === 0 ? undefined : searched;
}

/** Returns the words of a text with one space around each, and at the end the numbers in it in their usual form. */
function words(text: string): string {
  const pieces = wordPieces(text);
  const inOrder = pieces.flatMap(charactersOf);
  const known = new Set(inOrder);
  const numbers = [
    ...wordsOf(text).filter((word) => /^[\d.]+$/.test(word)),
    ...pieces.flatMap((piece) => /^(\d+)[a-z]{1,3}$/.exec(piece.text)?.[1] ?? []),
  ];
  return wordsText([...inOrder, ...new Set(numbers.filter((number) => !known.has(number)))]);
}

/** Letters of scripts without spaces and of Korean are words of their own. */
function charactersOf({ kind, text }: Piece): readonly string[] {
  return kind === "latin" || kind === "number" ? [text] : Array.from(text);
}

function wordsText(found: readonly string[]): string {
  return found.length === 0 ? " " : ` ${found.join(" ")} `;
}

/** The form in rows of version 0.1 before their run is indexed again (RTX3). */
function firstText(text: string): string {
  const found = text
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(
      /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/gu,
      " $& ",
    )
    .match(/[\p{L}\p{N}]+/gu);
  return wordsText(found ?? []);
}

/** The texts in the beginning of a JSON text. */
function textOfJson(json: string): string {
  return json.replaceAll(/"[^"\\]*"\s*:/g, " ").replaceAll(/\\(u[\da-f]{4}|.)/gi, " ");
}

function refusal(expected: string): Error {
  return invalidInput("the query does not fit", [{ path: "/q", message: `expected ${expected}` }]);
}
