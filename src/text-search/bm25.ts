import { termsOf } from "../text/index.ts";

/** BM25 parameters: saturation of repeated words, and the penalty for long texts. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

type Document = { readonly counts: ReadonlyMap<string, number>; readonly length: number };

/** Full-text index in this process, ranked by BM25. */
export class Bm25Index {
  readonly #documents = new Map<string, Document>();
  /** Ids of documents by term. */
  readonly #postings = new Map<string, Set<string>>();
  #totalLength = 0;

  set(id: string, text: string): void {
    this.delete(id);
    const counts = new Map<string, number>();
    const terms = termsOf(text);
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const term of counts.keys()) {
      let ids = this.#postings.get(term);
      if (ids === undefined) this.#postings.set(term, (ids = new Set()));
      ids.add(id);
    }
    this.#documents.set(id, { counts, length: terms.length });
    this.#totalLength += terms.length;
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
  search(
    terms: readonly string[],
    { limit, passes }: { readonly limit: number; readonly passes: (id: string) => boolean },
  ): string[] {
    const scores = new Map<string, number>();
    const count = this.#documents.size;
    const meanLength = count === 0 ? 0 : this.#totalLength / count;
    for (const term of new Set(terms)) {
      const ids = this.#postings.get(term);
      if (ids === undefined) continue;
      const rarity = Math.log(1 + (count - ids.size + 0.5) / (ids.size + 0.5));
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
      .toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
      .slice(0, limit)
      .map(([id]) => id);
  }
}
