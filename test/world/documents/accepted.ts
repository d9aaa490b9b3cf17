import type { AcceptedDifference } from "../support/accepted.ts";

export type DocumentDifference = {
  readonly document: string;
  readonly share: number;
  readonly missing: readonly string[];
  /** Error of the reader here, and of the other library. */
  readonly own: string | undefined;
  readonly other: string | undefined;
};

/** Returns a condition for a document that has at least a share of the words. */
const isOf =
  (path: string, least = 0) =>
  ({ document, share }: DocumentDifference): boolean =>
    document.endsWith(path) && share >= least;

export const ACCEPTED_DOCUMENTS: readonly AcceptedDifference<DocumentDifference>[] = [
  {
    id: "east-asian-lists",
    upstream:
      "Has the lists (CMaps) of East Asian encodings, of 1 MB, and reads fonts that name them.",
    ours: "Reports such fonts as a loss of kind `font`; their text is missing. PDFs of the last 15 years rarely name them.",
    verdict: "decision",
    page: "knowledge.md#losses",
    matches: isOf("90ms_rksj_h_sample.pdf"),
  },
  {
    id: "letters-in-reading-order",
    upstream: "Takes the glyphs of a string in the order of the file.",
    ours: "Takes the right-to-left glyphs of one string as standing from left to right on the page, as almost all programs write them; the words of another file are reversed.",
    verdict: "decision",
    page: "knowledge-documents.md",
    matches: isOf("habibi.pdf"),
  },
  {
    id: "fonts-without-letters",
    upstream: "Names letters for glyphs of fonts without a list of letters.",
    ours: "Leaves out glyphs without a known letter; other letters stand for the others, in both readings.",
    verdict: "upstream's defect",
    page: "knowledge.md#losses",
    matches: (difference) =>
      ["ThuluthFeatures.pdf", "SimFang-variant.pdf", "TAMReview.pdf"].some((path) =>
        isOf(path)(difference),
      ),
  },
  {
    id: "formulas-of-pages",
    upstream: "Joins the letters of formulas and drawings to words.",
    ours: "Has the same letters as other words: raised, lowered and scattered ones are apart.",
    verdict: "decision",
    page: "knowledge-documents.md",
    matches: isOf("GeoTopo-komprimiert.pdf", 0.9),
  },
];
