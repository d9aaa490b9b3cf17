// Vectors in Vectorize, which accepts writes immediately and indexes them seconds later.
//
//   Z1. D1 is the source of truth: a row is written when it is in D1. Vectorize proposes candidates. A candidate
//       missing from D1, or different there, is no match.
//   Z2. Until Vectorize has indexed a row, D1 stores its vector, and each query scores these rows itself. They are read
//       before the query to Vectorize, so a row indexed in the meantime is found in one of the two.
//   Z3. A row is indexed if the last mutation processed by Vectorize is the row's own, or was begun after the row's own
//       was accepted; or if Vectorize reports progress a minute past it.
//   Z4. A vector in Vectorize never changes. A rewritten row gets a new vector under an unused key, and the old one is
//       deleted later. So a late write cannot replace a new vector with an old one.
//   Z5. While Vectorize is unavailable, writes continue until too many rows wait for it. Queries fail with
//       `vector_store_unavailable`, so the caller can search by words.
import type { Clock } from "../../../base/clock.ts";
import { EngineError } from "../../../base/error.ts";
import { randomId, systemClock } from "../../../base/system.ts";
import {
  checkCollection,
  checkFits,
  checkIds,
  checkQuery,
  checkRows,
  unitVector,
} from "../../../vectors/check-vectors.ts";
import { floorOf, scoreOf } from "../../../vectors/exact-vectors.ts";
import { byScore } from "../../../vectors/top-matches.ts";
import type {
  VectorCollection,
  VectorMatch,
  VectorQuery,
  VectorRow,
  VectorStore,
  VectorStoreInfo,
  VectorStores,
} from "../../../vectors/vector-store.ts";
import type { Database } from "../../d1.ts";
import type { VectorizeBinding } from "./vectorize-binding.ts";
import { toVectorizeFilter } from "./vectorize-filter.ts";
import { dot, TOP, TOP_WITH_VALUES, VectorizeIndex } from "./vectorize-index.ts";
import { vectorNamespace } from "./vectorize-namespace.ts";
import { VectorizeRows } from "./vectorize-rows.ts";

export type VectorizeOptions = {
  /** Number of a collection's rows that may wait for Vectorize before writes are rejected. @default 1000 */
  readonly maxPending?: number;
  /** @default the system's */
  readonly clock?: Clock;
};

/** State shared by the collections of one index. */
type VectorizeBackend = {
  readonly index: VectorizeIndex;
  readonly rows: VectorizeRows;
  readonly maxPending: number;
};

const MAX_PENDING = 1000;
const RETRY_AFTER_MS = 5_000;

/** Collections in one Vectorize index (cosine), each in its own namespace, with their rows in D1. */
export class VectorizeStores implements VectorStores {
  readonly #backend: VectorizeBackend;

  constructor(
    binding: VectorizeBinding,
    db: Database,
    { clock = systemClock, maxPending = MAX_PENDING }: VectorizeOptions = {},
  ) {
    const rows = new VectorizeRows(db, clock);
    this.#backend = { index: new VectorizeIndex(binding, rows, clock), rows, maxPending };
  }

  open(collection: VectorCollection): VectorizeStore {
    return new VectorizeStore(this.#backend, collection);
  }

  /**
   * Resends rows that did not reach Vectorize and deletes unused vectors: a page of each. Writes do the same; without
   * writes, a cron trigger does it.
   */
  sweep(): Promise<void> {
    return this.#backend.index.sweep();
  }
}

/**
 * Returns the collections of the Vectorize index bound as `VECTORIZE`. Fails with `invalid_definition` if it is not
 * bound.
 */
export function vectorizeVectors(
  env: { readonly VECTORIZE?: unknown; readonly DB: Database },
  options?: VectorizeOptions,
): VectorizeStores {
  const index = env.VECTORIZE;
  if (typeof index === "object" && index !== null && "deleteByIds" in index)
    return new VectorizeStores(index as VectorizeBinding, env.DB, options);
  throw new EngineError(
    "invalid_definition",
    "wrangler.toml must bind a Vectorize index as VECTORIZE",
  );
}

export class VectorizeStore implements VectorStore {
  readonly #index: VectorizeIndex;
  readonly #rows: VectorizeRows;
  readonly #maxPending: number;
  readonly #collection: VectorCollection;
  #namespace: Promise<string> | undefined;

  constructor({ index, rows, maxPending }: VectorizeBackend, collection: VectorCollection) {
    checkCollection(collection);
    this.#index = index;
    this.#rows = rows;
    this.#maxPending = maxPending;
    this.#collection = collection;
  }

  async upsert(rows: readonly VectorRow[]): Promise<void> {
    const dimension = checkRows(rows);
    if (dimension === undefined) return;
    const namespace = await this.#name();
    const wanted = { model: this.#collection.model, dimension };
    await this.#index.checkDimension(dimension);
    const made = await this.#rows.makeCollection(namespace, wanted);
    checkFits(made, wanted, this.#collection);
    await this.#write(namespace, [...new Map(rows.map((row) => [row.id, row])).values()]);
  }

  async delete(ids: readonly string[]): Promise<void> {
    checkIds(ids);
    if (ids.length > 0) await this.#rows.remove(await this.#name(), ids);
  }

  async query(vector: Float32Array, query: VectorQuery): Promise<readonly VectorMatch[]> {
    checkQuery(vector, query);
    const namespace = await this.#name();
    const made = await this.#rows.info(namespace);
    if (made === undefined) return [];
    const asked = { model: this.#collection.model, dimension: vector.length };
    // A query that can never be answered names the index, and not the earlier model.
    if (made.dimension !== vector.length) await this.#index.checkDimension(vector.length);
    checkFits(made, asked, this.#collection);
    const found = await this.#search(namespace, unitVector(vector), query);
    const floor = floorOf(query.minScore ?? 0);
    return found
      .filter(({ score }) => score >= floor)
      .toSorted(byScore)
      .slice(0, query.limit)
      .map(({ id, score }) => ({ id, score: scoreOf(score) }));
  }

  async info(): Promise<VectorStoreInfo | undefined> {
    return this.#rows.info(await this.#name());
  }

  async clear({ except }: { readonly except?: VectorStoreInfo } = {}): Promise<void> {
    await this.#rows.clear(await this.#name(), except);
  }

  async #write(namespace: string, rows: readonly VectorRow[]): Promise<void> {
    await this.#checkPending(namespace);
    const write = randomId();
    const keyed = rows.map((row, index) => ({ ...row, key: `${write}-${index}`, namespace }));
    await this.#rows.write(namespace, keyed);
    // The rows are in D1. Vectorize gets them now or in a sweep.
    await this.#index.send(keyed).catch(() => undefined);
    await this.#index.sweep().catch(() => undefined);
  }

  async #search(
    namespace: string,
    unit: Float32Array,
    { limit, filter = {} }: VectorQuery,
  ): Promise<readonly VectorMatch[]> {
    const pending = await this.#rows.pending(namespace, filter);
    const settled =
      pending.length > 0 ? this.#index.settle().catch(() => undefined) : Promise.resolve();
    const found = new Map<string, number>();
    for (const { id, vector } of pending) if (vector) found.set(id, dot(unit, vector));
    const wanted = await toVectorizeFilter(filter);
    const ask = async (topK: number) => {
      const scores = await this.#index.query(unit, { topK, namespace, filter: wanted });
      const rows = await this.#rows.indexed(namespace, [...scores.keys()], filter);
      return {
        matches: rows.map(({ id, key }) => ({ id, score: scores.get(key) ?? 0 })),
        isWhole: scores.size < topK,
      };
    };
    let indexed = await ask(limit <= TOP_WITH_VALUES ? TOP_WITH_VALUES : TOP);
    // Vectors no longer used by a row took some of the places.
    if (limit <= TOP_WITH_VALUES && !indexed.isWhole && indexed.matches.length < limit)
      indexed = await ask(TOP);
    for (const { id, score } of indexed.matches) if (!found.has(id)) found.set(id, score);
    await settled;
    return [...found].map(([id, score]) => ({ id, score }));
  }

  /** Fails with `vector_store_unavailable` while too many rows wait for Vectorize (Z5). */
  async #checkPending(namespace: string): Promise<void> {
    if ((await this.#rows.countPending(namespace)) < this.#maxPending) return;
    await this.#index.settle().catch(() => undefined);
    const count = await this.#rows.countPending(namespace);
    if (count < this.#maxPending) return;
    throw new EngineError(
      "vector_store_unavailable",
      `${count} vectors of this collection wait for Vectorize to index them (at most ${this.#maxPending} may): write more when it has`,
      { retryable: true, retryAfterMs: RETRY_AFTER_MS },
    );
  }

  #name(): Promise<string> {
    const { tenant, collection } = this.#collection;
    return (this.#namespace ??= vectorNamespace(tenant, collection));
  }
}
