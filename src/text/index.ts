// Text in the form for search and comparison: one treatment for every place that searches, compares or counts words.
export { isDenied } from "./denials.ts";
export { foldText, isSameName, nameForm, nameWords, sameNameIn } from "./fold.ts";
export { coverage, shareOf, termsOf, TEXT_VERSION } from "./terms.ts";
export { countMentions, isUnspaced, mentionsIn } from "./mentions.ts";
export { numbersIn } from "./numbers.ts";
export { documentTerms, questionTerms } from "./piece-terms.ts";
export type { Piece, PieceKind } from "./pieces.ts";
export { ENGLISH } from "./english.ts";
export { queryTerms, queryWords, tellingWords } from "./question.ts";
export { isQuestion, sentencesIn } from "./sentences.ts";
export { stemOf } from "./stems.ts";
export { wordPieces, wordsOf } from "./words.ts";
