// Words of a question in scripts without spaces.

/** Dictionaries of the runtime. Documents are never split by them: a later version may split differently. */
let segmenter: Intl.Segmenter | null | undefined;

/** Returns the words of a run of letters; the whole run without dictionaries. Han characters on their own stay together. */
export function segmentsOf(run: string): readonly string[] {
  segmenter ??= "Segmenter" in Intl ? new Intl.Segmenter("en", { granularity: "word" }) : null;
  return segmenter === null ? [run] : Array.from(segmenter.segment(run), ({ segment }) => segment);
}
