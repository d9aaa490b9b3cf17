import {
  checkCollection,
  checkFits,
  checkIds,
  checkQuery,
  checkRows,
  isMadeWith,
  unitVector,
} from "./check-vectors.ts";
import { PackedVectors } from "./packed-vectors.ts";
import type {
  VectorCollection,
  VectorMatch,
  VectorQuery,
  VectorRow,
  VectorStore,
  VectorStoreInfo,
  VectorStores,
} from "./vector-store.ts";

/** Rows of one collection, lost when the process ends. */
type Contents = { made?: { readonly info: VectorStoreInfo; readonly rows: PackedVectors } };

/** Vectors in this process's memory with an exact search, for runs in one process and for tests. */
export class ExactVectors implements VectorStore {
  readonly #collection: VectorCollection;
  readonly #contents: Contents;

  constructor(collection: VectorCollection, contents: Contents = {}) {
    checkCollection(collection);
    this.#collection = collection;
    this.#contents = contents;
  }

  async upsert(rows: readonly VectorRow[]): Promise<void> {
    const dimension = checkRows(rows);
    if (dimension === undefined) return;
    const { model } = this.#collection;
    const made = (this.#contents.made ??= {
      info: { model, dimension },
      rows: new PackedVectors(dimension, "float32"),
    });
    checkFits(made.info, { model, dimension }, this.#collection);
    for (const { id, vector, metadata } of rows) made.rows.set(id, unitVector(vector), metadata);
  }

  async delete(ids: readonly string[]): Promise<void> {
    checkIds(ids);
    for (const id of ids) this.#contents.made?.rows.delete(id);
  }

  async query(vector: Float32Array, query: VectorQuery): Promise<readonly VectorMatch[]> {
    checkQuery(vector, query);
    const { made } = this.#contents;
    if (made === undefined) return [];
    const incoming = { model: this.#collection.model, dimension: vector.length };
    checkFits(made.info, incoming, this.#collection);
    const { limit, minScore = 0, filter = {} } = query;
    const found = made.rows.search(unitVector(vector), { limit, floor: floorOf(minScore), filter });
    return found.map(({ id, score }) => ({ id, score: scoreOf(score) }));
  }

  async info(): Promise<VectorStoreInfo | undefined> {
    return this.#contents.made?.info;
  }

  async clear({ except }: { readonly except?: VectorStoreInfo } = {}): Promise<void> {
    if (isMadeWith(this.#contents.made?.info, except)) return;
    delete this.#contents.made;
  }
}

/** Collections of one process. */
export class InMemoryVectorStores implements VectorStores {
  readonly #contents = new Map<string, Contents>();

  open(collection: VectorCollection): ExactVectors {
    const key = JSON.stringify([collection.tenant, collection.collection]);
    let contents = this.#contents.get(key);
    if (contents === undefined) this.#contents.set(key, (contents = {}));
    return new ExactVectors(collection, contents);
  }
}

/** Returns the lowest cosine with the score `minScore` (V2). */
export function floorOf(minScore: number): number {
  return minScore === 0 ? -Infinity : minScore;
}

/** Returns the score of a cosine (V2). */
export function scoreOf(cosine: number): number {
  return Math.min(1, Math.max(0, cosine));
}
