// Vectors computed from the letters of a text: no network, no model, always the same result.
//
// Words, stems, word pairs and letter sequences are hashed to positions of the vector. Texts with common stems are
// near. Texts with the same meaning in other words are not: this is not a language model, as its name shows.
//
//   HE1. A document's vector depends on its text alone and never changes. Stored vectors stay valid.
//   HE2. In a question rare words count more than common ones, and spelling counts more than in a document.
//   HE3. Features sharing a position of the vector make texts seem near by chance; `compare` keeps every feature
//        separate.
import { fingerprint } from "../base/hash.ts";
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
};

const DOCUMENT: Weights = { stem: 1, stopWord: 0.08, pair: 0.35, gram: 0.22, common: 1 };
const QUESTION: Weights = { stem: 1, stopWord: 0.02, pair: 0.35, gram: 0.6, common: 0.35 };

/** Measured on unpublished questions: the nearest of a hundred unrelated texts. */
const SIMILARITY = { unrelated: 0.15, related: 0.15, alike: 0.6 };

const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about after all also an and any are as at be because been before but by can could did do does for from had has have he " +
    "her his how i if in into is it its just may me might more most my no nor not of on one only or other our out over she " +
    "should so some such than that the their them then there these they this those through to too up us very was we were what " +
    "when where which while who whom whose why will with would you your"
  ).split(" "),
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
  const words = plainLetters(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  const features = new Map<string, number>();
  const add = (feature: string, weight: number): void => {
    features.set(feature, (features.get(feature) ?? 0) + weight);
  };
  let before = "";
  for (const word of words) {
    if (STOP_WORDS.has(word)) {
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
  // A text may consist of punctuation alone.
  if (features.size === 0) add(`t:${text.trim()}`, 1);
  // Each repetition of a feature counts less.
  for (const [feature, count] of features) features.set(feature, Math.sqrt(count));
  return features;
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

/** Returns the text in lower case, without accents. */
function plainLetters(text: string): string {
  return text.toLowerCase().normalize("NFKD").replaceAll(/\p{M}/gu, "");
}

/** Returns the four-letter sequences of a word, with marks for its ends, so words with similar spelling are near. */
function gramsOf(stem: string): readonly string[] {
  const bounded = `<${stem}>`;
  if (bounded.length <= 4) return [bounded];
  return Array.from({ length: bounded.length - 3 }, (_, start) => bounded.slice(start, start + 4));
}

/** Applies light stemming: plurals, and the most common endings of verbs, nouns and adverbs. */
function stemOf(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  const stem = word
    .replace(/'s$/, "")
    .replace(/(?<=.{2})ies$/, "y")
    .replace(/(?<=[sxz]|[cs]h)es$/, "")
    .replace(/(?<=[^su])s$/, "")
    .replace(/(?<=.{3})(ingly|edly|ing|ed|ly)$/, "")
    .replace(/(?<=.{4})(ments?|ness|ations?|ions?|ers?)$/, "");
  return stem.replace(/([^aeioulsz])\1$/, "$1").replace(/(?<=.{2})[ey]$/, "");
}
