import { termsOf } from "../text/terms.ts";

/** BM25 parameters: saturation of repeated words, and the penalty for long texts. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;
/** Rarity of terms found in half of the documents or more, as in FTS5. */
const LEAST_RARITY = 1e-6;

type Document = {
  /** Occurrences of each term, weighted by field. */
  readonly counts: ReadonlyMap<string, number>;
  /** Number of terms in all fields. */
  readonly length: number;
};

export type Bm25Options = {
  /** Weight of each field; 0 counts a field's length alone. @default one field of weight 1 */
  readonly weights?: readonly number[];
  /**
   * Rarity of a term. `fts5` is the formula of SQLite, so both rank alike; `smooth` also distinguishes terms found in
   * most documents, as in small sets. @default "smooth"
   */
  readonly rarity?: "smooth" | "fts5";
};

type SearchOptions = {
  readonly limit: number;
  readonly passes: (id: string) => boolean;
  /** Factor of a document's score. @default 1 */
  readonly factor?: (id: string) => number;
};

/** Full-text index in this process, ranked by BM25 over weighted fields. */
export class Bm25Index {
  readonly #weights: readonly number[];
  readonly #rarity: "smooth" | "fts5";
  readonly #documents = new Map<string, Document>();
  /** Ids of documents by term. */
  readonly #postings = new Map<string, Set<string>>();
  #totalLength = 0;

  constructor({ weights = [1], rarity = "smooth" }: Bm25Options = {}) {
    this.#weights = weights;
    this.#rarity = rarity;
  }

  set(id: string, text: string): void {
    this.setTerms(id, [termsOf(text)]);
  }

  /** Sets a document by the terms of its fields, in the order of the weights. */
  setTerms(id: string, fields: ReadonlyArray<readonly string[]>): void {
    this.delete(id);
    const counts = new Map<string, number>();
    let length = 0;
    for (const [field, terms] of fields.entries()) {
      const weight = this.#weights[field] ?? 0;
      length += terms.length;
      if (weight === 0) continue;
      for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + weight);
    }
    for (const term of counts.keys()) {
      let ids = this.#postings.get(term);
      if (ids === undefined) this.#postings.set(term, (ids = new Set()));
      ids.add(id);
    }
    this.#documents.set(id, { counts, length });
    this.#totalLength += length;
  }

  delete(id: string): void {
    const document = this.#documents.get(id);
    if (document === undefined) return;
    this.#documents.delete(id);
    this.#totalLength -= document.length;
    for (const term of document.counts.keys()) {
      const ids = this.#postings.get(term);
      ids?.delete(id);
      if (ids?.size === 0) this.#postings.delete(term);
    }
  }

  /** Returns ids of documents that pass and have any of the terms, best first. The lower id wins a tie. */
  search(terms: readonly string[], options: SearchOptions): string[] {
    return this.rank(terms, options).map(([id]) => id);
  }

  /** Returns the ids of `search` with their scores. */
  rank(
    terms: readonly string[],
    { limit, passes, factor = () => 1 }: SearchOptions,
  ): ReadonlyArray<readonly [id: string, score: number]> {
    const scores = new Map<string, number>();
    const count = this.#documents.size;
    const meanLength = count === 0 ? 0 : this.#totalLength / count;
    for (const term of new Set(terms)) {
      const ids = this.#postings.get(term);
      if (ids === undefined) continue;
      const rarity = this.#rarityOf(ids.size, count);
      for (const id of ids) {
        const document = this.#documents.get(id);
        if (document === undefined) continue;
        const times = document.counts.get(term) ?? 0;
        const held = 1 - LENGTH_SHARE + (LENGTH_SHARE * document.length) / meanLength;
        const gain = (rarity * times * (SATURATION + 1)) / (times + SATURATION * held);
        scores.set(id, (scores.get(id) ?? 0) + gain);
      }
    }
    return [...scores]
      .filter(([id]) => passes(id))
      .map(([id, score]) => [id, score * factor(id)] as const)
      .toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
      .slice(0, limit);
  }

  #rarityOf(found: number, count: number): number {
    const odds = (count - found + 0.5) / (found + 0.5);
    return this.#rarity === "smooth" ? Math.log(1 + odds) : Math.max(LEAST_RARITY, Math.log(odds));
  }
}
