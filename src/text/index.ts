// Text in the form for search and comparison: one treatment for every place that searches, compares or counts words.
export { foldText, isSameName, nameForm } from "./fold.ts";
export { coverage, queryTerms, queryWords, termsOf, TEXT_VERSION } from "./terms.ts";
