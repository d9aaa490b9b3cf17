// Vectors from the letters of a text alone: no network, no model, the same everywhere and always.
//
// Words, stems, pairs of words and runs of letters are hashed to places of the vector. Texts that share stems are near,
// texts that mean the same in other words are not: this is no language model, and says so in its name.
//
//   HE1. A document's vector depends on its text alone, and never changes: vectors that are stored stay valid.
//   HE2. In a question rare words say more than common ones, and the spelling of a word more than in a document.
//   HE3. Features that meet at one place of the vector make texts seem near by chance; `compare` keeps every feature apart.
import { fingerprint } from "../base/hash.ts";
import { COMMON_WORDS } from "./common-words.ts";
import type { Embedder } from "./embedder.ts";

const DIMENSION = 384;

/** How much each kind of feature says. */
type Weights = {
  readonly stem: number;
  readonly stopWord: number;
  readonly pair: number;
  readonly gram: number;
  /** Of common words, as a share of the others. */
  readonly common: number;
};

const DOCUMENT: Weights = { stem: 1, stopWord: 0.08, pair: 0.35, gram: 0.22, common: 1 };
const QUESTION: Weights = { stem: 1, stopWord: 0.02, pair: 0.35, gram: 0.6, common: 0.35 };

/** Measured on other questions than those that are published: of what is unrelated, the nearest of a hundred. */
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

/** The embedder of a deployment that names no other: `offline/hash-embed`, 384 dimensions. */
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

/** What a text is made of, and how much each of it says. */
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
  // Signs alone are a text too.
  if (features.size === 0) add(`t:${text.trim()}`, 1);
  // What is said often says less each time.
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

/** The features at two places each, with a sign, so that two that meet at one place rarely meet at the other. */
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

/** In lower case, without accents. */
function plainLetters(text: string): string {
  return text.toLowerCase().normalize("NFKD").replaceAll(/\p{M}/gu, "");
}

/** Runs of four letters of a longer word, and the bounds of it: what is spelled alike is near. */
function gramsOf(stem: string): readonly string[] {
  const bounded = `<${stem}>`;
  if (bounded.length <= 4) return [bounded];
  return Array.from({ length: bounded.length - 3 }, (_, start) => bounded.slice(start, start + 4));
}

/** Light stemming: plurals, and the commonest endings of verbs, nouns and adverbs. */
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
