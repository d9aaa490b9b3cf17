import { Bm25Index } from "../../../text-search/bm25.ts";
import { queryTerms } from "../../../text/index.ts";

/** Approximate length of a passage, in characters. */
const PASSAGE = 900;
const MAX_PASSAGES = 2_000;
const BEST = 8;

/**
 * Returns the passages of a text matching a question best, in the order of the text; empty if the text has no word of
 * the question.
 */
export function fittingPassages(text: string, question: string): readonly string[] {
  const passages = passagesOf(text);
  const index = new Bm25Index();
  for (const [at, passage] of passages.entries()) index.set(String(at).padStart(6, "0"), passage);
  const best = index.search(queryTerms(question), { limit: BEST, passes: () => true });
  return best
    .map(Number)
    .toSorted((a, b) => a - b)
    .map((at) => passages[at] ?? "");
}

/** Splits a text into pieces at line ends. A heading begins a new piece. */
function passagesOf(text: string): readonly string[] {
  const passages: string[] = [];
  let lines: string[] = [];
  let length = 0;
  const end = (): void => {
    if (lines.length > 0 && passages.length < MAX_PASSAGES) passages.push(lines.join("\n"));
    lines = [];
    length = 0;
  };
  for (const line of text.split("\n")) {
    if (length > 0 && (length + line.length > PASSAGE || /^#{1,6} /.test(line))) end();
    lines.push(line);
    length += line.length + 1;
  }
  end();
  return passages;
}
