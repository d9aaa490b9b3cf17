// Vectors computed from the letters of a text: no network, no model, always the same result.
//
// Words, stems, word pairs and letter sequences are hashed to positions of the vector. Texts with common stems are
// near. Texts with the same meaning in other words are not: this is not a language model, as its name shows. In scripts
// without spaces, and in Korean, sequences of two or three characters take the place of words.
//
//   HE1. A document's vector depends on its text alone. The features of words in scripts with spaces never change, so
//        stored vectors stay valid.
//   HE2. In a question rare words count more than common ones, and spelling counts more than in a document.
//   HE3. Features sharing a position of the vector make texts seem near by chance; `compare` keeps every feature
//        separate.
import { fingerprint } from "../base/hash.ts";
import {
  documentTerms,
  ENGLISH,
  questionTerms,
  stemOf,
  tellingWords,
  wordPieces,
  type Piece,
} from "../text/index.ts";
import { COMMON_WORDS } from "./common-words.ts";
import type { Embedder } from "./embedder.ts";

const DIMENSION = 384;

/** Weight of each kind of feature. */
type Weights = {
  readonly stem: number;
  readonly stopWord: number;
  readonly pair: number;
  readonly gram: number;
  /** Weight of common words, relative to the others. */
  readonly common: number;
  readonly isQuestion: boolean;
};

const DOCUMENT: Weights = {
  stem: 1,
  stopWord: 0.08,
  pair: 0.35,
  gram: 0.22,
  common: 1,
  isQuestion: false,
};
const QUESTION: Weights = {
  stem: 1,
  stopWord: 0.02,
  pair: 0.35,
  gram: 0.6,
  common: 0.35,
  isQuestion: true,
};
/** Weights of sequences of characters in scripts without spaces: pairs and triples, and single characters. */
const SEQUENCE = 0.8;
const SINGLE = 0.3;

/** Measured on unpublished questions: the nearest of a hundred unrelated texts. */
const SIMILARITY = { unrelated: 0.15, related: 0.15, alike: 0.6 };

/** Function words with little weight. Stored vectors count the three others as words (HE1). */
const STOP_WORDS: ReadonlySet<string> = new Set(
  [...ENGLISH].filter((word) => !["am", "being", "done"].includes(word)),
);

const COMMON_STEMS: ReadonlySet<string> = new Set(COMMON_WORDS.map(stemOf));

/** Creates the default embedder of a deployment: `offline/hash-embed`, 384 dimensions. */
export function hashEmbedder(): Embedder {
  return {
    id: "offline/hash-embed",
    model: "offline/hash-embed-1",
    dimension: DIMENSION,
    maxBatch: 1000,
    similarity: SIMILARITY,
    compare: (question, texts) => {
      const asked = featuresOf(question, QUESTION);
      return texts.map((text) => cosineOf(asked, featuresOf(text, DOCUMENT)));
    },
    embed: async (texts, { signal, purpose = "document" }) => {
      signal.throwIfAborted();
      const weights = purpose === "query" ? QUESTION : DOCUMENT;
      return texts.map((text) => project(featuresOf(text, weights)));
    },
  };
}

/** Returns the features of a text with their weights. */
function featuresOf(text: string, weights: Weights): ReadonlyMap<string, number> {
  const features = new Map<string, number>();
  const add = (feature: string, weight: number): void => {
    features.set(feature, (features.get(feature) ?? 0) + weight);
  };
  const telling = weights.isQuestion ? tellingWords(text) : [];
  const known = new Set(telling);
  let before = "";
  for (const piece of wordPieces(text)) {
    if (isSequence(piece)) {
      before = "";
      if (!weights.isQuestion) addSequences(add, documentTerms(piece));
      continue;
    }
    const word = piece.text;
    if (STOP_WORDS.has(word) || (weights.isQuestion && isFunctionWord(word, known))) {
      add(`w:${word}`, weights.stopWord);
      continue;
    }
    const stem = stemOf(word);
    const share = COMMON_STEMS.has(stem) ? weights.common : 1;
    add(`w:${stem}`, weights.stem * share);
    if (before !== "") add(`p:${before} ${stem}`, weights.pair * share);
    before = stem;
    const grams = gramsOf(stem);
    for (const gram of grams) add(`g:${gram}`, (weights.gram * share) / Math.sqrt(grams.length));
  }
  // A dictionary splits a question at its words, so sequences across words do not count.
  for (const piece of telling.flatMap(wordPieces))
    if (isSequence(piece)) addSequences(add, questionTerms(piece));
  // A text may consist of punctuation alone.
  if (features.size === 0) add(`t:${text.trim()}`, 1);
  // Each repetition of a feature counts less.
  for (const [feature, count] of features) features.set(feature, Math.sqrt(count));
  return features;
}

/** True for a word of letters that is no telling word of the question. */
function isFunctionWord(word: string, telling: ReadonlySet<string>): boolean {
  return !telling.has(word) && /^\p{L}+$/u.test(word);
}

/** True for characters of scripts without spaces, and of Korean. */
function isSequence({ kind }: Piece): boolean {
  return kind !== "latin" && kind !== "number";
}

function addSequences(
  add: (feature: string, weight: number) => void,
  sequences: readonly string[],
): void {
  for (const each of sequences) add(`w:${each}`, each.length === 1 ? SINGLE : SEQUENCE);
}

function cosineOf(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let product = 0;
  for (const [feature, weight] of one) product += weight * (other.get(feature) ?? 0);
  return Math.min(1, product / (lengthOf(one) * lengthOf(other)));
}

function lengthOf(features: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const weight of features.values()) sum += weight ** 2;
  return Math.sqrt(sum);
}

/** Adds each feature at two positions, with a sign. Two features sharing one position rarely share the other. */
function project(features: ReadonlyMap<string, number>): Float32Array {
  const vector = new Float32Array(DIMENSION);
  for (const [feature, weight] of features) {
    const hash = fingerprint(feature);
    for (const half of [hash.slice(0, 8), hash.slice(8)]) {
      const bits = Number.parseInt(half, 16);
      const place = (bits >>> 1) % DIMENSION;
      vector[place] = (vector[place] ?? 0) + (bits % 2 === 0 ? weight : -weight);
    }
  }
  const length = Math.hypot(...vector);
  return length === 0
    ? vector.fill(1 / Math.sqrt(DIMENSION))
    : vector.map((value) => value / length);
}

/** Returns the four-letter sequences of a word, with marks for its ends, so words with similar spelling are near. */
function gramsOf(stem: string): readonly string[] {
  const bounded = `<${stem}>`;
  if (bounded.length <= 4) return [bounded];
  return Array.from({ length: bounded.length - 3 }, (_, start) => bounded.slice(start, start + 4));
}
