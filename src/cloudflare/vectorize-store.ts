// Vectors in Vectorize, which takes writes at once and indexes them seconds later.
//
//   Z1. D1 is the truth: a row is written when D1 has it. Vectorize proposes candidates; what D1 does not have, or has in
//       another form, is no match.
//   Z2. Until Vectorize has indexed a row, D1 keeps its vector, and each query scores these rows itself. They are read before
//       Vectorize is asked, so that a row that is indexed meanwhile is seen by one of the two.
//   Z3. A row is indexed when the last mutation that Vectorize has processed is its own or was begun after its own had been
//       accepted; or when Vectorize says that it is a minute further in time.
//   Z4. A vector in Vectorize never changes: a row that is written again gets a new one, under a key that was never used, and the
//       old one is deleted later. So no late write can put an old vector in the place of a new one.
//   Z5. When Vectorize is away, writes go on until the rows that wait for it are too many; queries fail with
//       `vector_store_unavailable`, so that the caller can search by words.
import type { Clock } from "../base/clock.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { randomId, systemClock } from "../base/system.ts";
import {
  checkCollection,
  checkFits,
  checkIds,
  checkQuery,
  checkRows,
  unitVector,
} from "../vectors/check-vectors.ts";
import { floorOf, scoreOf } from "../vectors/exact-vectors.ts";
import { fromBase64, toBase64 } from "../vectors/packed-text.ts";
import { byScore } from "../vectors/top-matches.ts";
import type {
  VectorCollection,
  VectorMatch,
  VectorMetadata,
  VectorQuery,
  VectorRow,
  VectorStore,
  VectorStoreInfo,
  VectorStores,
} from "../vectors/vector-store.ts";
import { onDatabase, type Database } from "./d1.ts";
import {
  toSqlFilter,
  toVectorizeFilter,
  toVectorizeMetadata,
  type VectorizeFilter,
  type VectorizeMetadata,
} from "./vectorize-filter.ts";
import { vectorNamespace } from "./vectorize-names.ts";

/** The part of a Vectorize binding that is needed. */
export interface VectorizeBinding {
  upsert(
    vectors: ReadonlyArray<{
      readonly id: string;
      readonly values: Float32Array;
      readonly namespace: string;
      readonly metadata: VectorizeMetadata;
    }>,
  ): Promise<{ readonly mutationId: string }>;
  deleteByIds(ids: readonly string[]): Promise<{ readonly mutationId: string }>;
  query(
    vector: Float32Array,
    options: {
      readonly topK: number;
      readonly namespace: string;
      readonly filter?: VectorizeFilter;
      readonly returnValues: boolean;
      readonly returnMetadata: "none";
    },
  ): Promise<{
    readonly matches: ReadonlyArray<{
      readonly id: string;
      readonly score: number;
      readonly values?: ArrayLike<number> | undefined;
    }>;
  }>;
  describe(): Promise<{
    readonly dimensions: number;
    readonly processedUpToDatetime?: string | number | null;
    readonly processedUpToMutation?: string | number | null;
  }>;
}

export type VectorizeOptions = {
  /** Rows of a collection that may wait for Vectorize before writes have to wait, too. @default 1000 */
  readonly maxPending?: number;
  /** @default the system's */
  readonly clock?: Clock;
};

/** Matches of one query: Vectorize gives so many with their values, by which scores are exact, and so many without. */
const TOP_WITH_VALUES = 20;
const TOP = 100;
/** Vectors of one write. */
const BATCH = 1000;
/** Ids of one deletion: more are refused whole (error 40007). */
const DELETE_BATCH = 100;
/** D1 takes texts of 2 MB. */
const MAX_JSON_LENGTH = 1_000_000;
/** After this, a write that Vectorize was not heard to accept is sent again, and what was discarded is deleted. Milliseconds. */
const SETTLED_MS = 60_000;
const RETRY_AFTER_MS = 5_000;

/** Collections in one Vectorize index (cosine), each a namespace of it, with what stands behind them in D1. */
export class VectorizeStores implements VectorStores {
  readonly #shared: Shared;

  constructor(index: VectorizeBinding, db: Database, options: VectorizeOptions = {}) {
    this.#shared = new Shared(index, db, options);
  }

  open(collection: VectorCollection): VectorizeStore {
    return new VectorizeStore(this.#shared, collection);
  }

  /**
   * Sends again what did not reach Vectorize, and deletes what stands for nothing any more: a page of each. Writes do the same
   * on their way; a cron trigger does it where there are none.
   */
  sweep(): Promise<void> {
    return this.#shared.sweep();
  }
}

/** The collections of the Vectorize index bound as `VECTORIZE`. Throws `invalid_definition` when it is not bound. */
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
  readonly #shared: Shared;
  readonly #collection: VectorCollection;
  #namespace: Promise<string> | undefined;

  constructor(shared: Shared, collection: VectorCollection) {
    checkCollection(collection);
    this.#shared = shared;
    this.#collection = collection;
  }

  async upsert(rows: readonly VectorRow[]): Promise<void> {
    checkRows(rows);
    const dimension = rows[0]?.vector.length;
    if (dimension === undefined) return;
    const namespace = await this.#name();
    const { model } = this.#collection;
    await this.#shared.checkIndex(dimension);
    const made = await this.#shared.makeCollection(namespace, { model, dimension });
    checkFits(made, { model, dimension }, this.#collection);
    await this.#shared.write(namespace, [...new Map(rows.map((row) => [row.id, row])).values()]);
  }

  async delete(ids: readonly string[]): Promise<void> {
    checkIds(ids);
    if (ids.length > 0) await this.#shared.remove(await this.#name(), ids);
  }

  async query(vector: Float32Array, query: VectorQuery): Promise<readonly VectorMatch[]> {
    checkQuery(vector, query);
    const namespace = await this.#name();
    const made = await this.#shared.info(namespace);
    if (made === undefined) return [];
    const given = { model: this.#collection.model, dimension: vector.length };
    checkFits(made, given, this.#collection);
    const found = await this.#shared.search(namespace, unitVector(vector), query);
    const floor = floorOf(query.minScore ?? 0);
    return found
      .filter(({ score }) => score >= floor)
      .toSorted(byScore)
      .slice(0, query.limit)
      .map(({ id, score }) => ({ id, score: scoreOf(score) }));
  }

  async info(): Promise<VectorStoreInfo | undefined> {
    return this.#shared.info(await this.#name());
  }

  async clear(): Promise<void> {
    await this.#shared.clear(await this.#name());
  }

  #name(): Promise<string> {
    const { tenant, collection } = this.#collection;
    return (this.#namespace ??= vectorNamespace(tenant, collection));
  }
}

type Found = { readonly id: string; readonly score: number };

/** What all collections of an index have in common. */
class Shared {
  readonly #index: VectorizeBinding;
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #maxPending: number;
  #dimensions: number | undefined;

  constructor(
    index: VectorizeBinding,
    db: Database,
    { clock = systemClock, maxPending = BATCH }: VectorizeOptions,
  ) {
    this.#index = index;
    this.#db = db;
    this.#clock = clock;
    this.#maxPending = maxPending;
  }

  /** Throws `invalid_definition` where the index has other dimensions: it was created with them, once and for all. */
  async checkIndex(dimension: number): Promise<void> {
    // While Vectorize is away nothing can be compared; the rows wait in D1.
    this.#dimensions ??= (await this.#index.describe().catch(() => undefined))?.dimensions;
    if (this.#dimensions === undefined || this.#dimensions === dimension) return;
    throw new EngineError(
      "invalid_definition",
      `the Vectorize index has ${this.#dimensions} dimensions, and the embedder makes ${dimension}: set its dimensions to ` +
        `${this.#dimensions}, or create an index with --dimensions=${dimension} --metric=cosine`,
    );
  }

  async info(namespace: string): Promise<VectorStoreInfo | undefined> {
    const [row] = await this.#all(
      "SELECT model, dimension FROM vector_collections WHERE namespace = ?",
      namespace,
    );
    return row && { model: String(row["model"]), dimension: Number(row["dimension"]) };
  }

  /** What the collection was made with: by this call, if nobody was before it. */
  async makeCollection(namespace: string, given: VectorStoreInfo): Promise<VectorStoreInfo> {
    const known = await this.info(namespace);
    if (known) return known;
    const insert = `INSERT INTO vector_collections VALUES (?, ?, ?) ON CONFLICT DO NOTHING`;
    await this.#run(insert, namespace, given.model, given.dimension);
    return (await this.info(namespace)) ?? given;
  }

  async write(namespace: string, rows: readonly VectorRow[]): Promise<void> {
    await this.#checkPending(namespace);
    const write = randomId();
    const keyed = rows.map((row, index) => ({ ...row, key: `${write}-${index}` }));
    const records = keyed.map(({ id, key, vector, metadata = {} }) => ({
      ...metadata,
      id,
      key,
      private: metadata.private === true ? 1 : 0,
      vector: toBase64(unitVector(vector)),
    }));
    await this.#discard(
      namespace,
      rows.map(({ id }) => id),
    );
    for (const page of pagesOf(records)) {
      // oxlint-disable-next-line no-await-in-loop -- D1 runs one after the other
      await this.#run(
        `INSERT OR REPLACE INTO vector_rows
          (namespace, id, key, scope, source, private, collection, document, vector, mutation, written_at)
          SELECT ?1, value ->> 'id', value ->> 'key', value ->> 'scope', value ->> 'source', value ->> 'private',
            value ->> 'collection', value ->> 'document', value ->> 'vector', NULL, ?2 FROM json_each(?3)`,
        namespace,
        this.#clock.now(),
        page,
      );
    }
    // The rows are written; Vectorize gets them now, or by a sweep.
    await this.#send(keyed.map((row) => ({ ...row, namespace }))).catch(() => undefined);
    await this.sweep().catch(() => undefined);
  }

  async remove(namespace: string, ids: readonly string[]): Promise<void> {
    await this.#discard(namespace, ids);
    await this.#run(
      "DELETE FROM vector_rows WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))",
      namespace,
      JSON.stringify(ids),
    );
  }

  async clear(namespace: string): Promise<void> {
    await this.#run(
      "INSERT OR REPLACE INTO vector_garbage SELECT key, ? FROM vector_rows WHERE namespace = ?",
      this.#clock.now(),
      namespace,
    );
    await this.#run("DELETE FROM vector_rows WHERE namespace = ?", namespace);
    await this.#run("DELETE FROM vector_collections WHERE namespace = ?", namespace);
  }

  async search(
    namespace: string,
    unit: Float32Array,
    { limit, filter = {} }: VectorQuery,
  ): Promise<readonly Found[]> {
    const sql = toSqlFilter(filter);
    const pending = await this.#all(
      `SELECT id, vector FROM vector_rows WHERE namespace = ? AND vector IS NOT NULL${sql.condition}`,
      namespace,
      ...sql.values,
    );
    const settled = pending.length > 0 ? this.#settle().catch(() => undefined) : Promise.resolve();
    const found = new Map<string, Found>();
    for (const row of pending) {
      const vector = fromBase64(String(row["vector"]));
      if (vector) found.set(String(row["id"]), { id: String(row["id"]), score: dot(unit, vector) });
    }
    const wanted = await toVectorizeFilter(filter);
    const ask = async (topK: number): Promise<{ rows: readonly Found[]; isWhole: boolean }> => {
      const candidates = await this.#ask(unit, { topK, namespace, filter: wanted });
      const rows = await this.#all(
        `SELECT id, key FROM vector_rows WHERE namespace = ? AND vector IS NULL AND key IN (SELECT value FROM json_each(?))${sql.condition}`,
        namespace,
        JSON.stringify([...candidates.keys()]),
        ...sql.values,
      );
      return {
        rows: rows.map((row) => ({
          id: String(row["id"]),
          score: candidates.get(String(row["key"])) ?? 0,
        })),
        isWhole: candidates.size < topK,
      };
    };
    let indexed = await ask(limit <= TOP_WITH_VALUES ? TOP_WITH_VALUES : TOP);
    // Vectors that stand for no row any more took the places of others.
    if (limit <= TOP_WITH_VALUES && !indexed.isWhole && indexed.rows.length < limit)
      indexed = await ask(TOP);
    for (const row of indexed.rows) if (!found.has(row.id)) found.set(row.id, row);
    await settled;
    return [...found.values()];
  }

  async sweep(): Promise<void> {
    const before = this.#clock.now() - SETTLED_MS;
    await this.#resend(before);
    const garbage = await this.#all(
      `SELECT key FROM vector_garbage WHERE discarded_at < ? AND NOT EXISTS
        (SELECT 1 FROM vector_rows WHERE vector_rows.key = vector_garbage.key) ORDER BY discarded_at LIMIT ${BATCH}`,
      before,
    );
    if (garbage.length === 0) return;
    const keys = garbage.map((row) => String(row["key"]));
    for (let start = 0; start < keys.length; start += DELETE_BATCH) {
      // oxlint-disable-next-line no-await-in-loop -- what was deleted stays so when a later call fails
      await this.#deleteForGood(keys.slice(start, start + DELETE_BATCH));
    }
  }

  async #deleteForGood(keys: readonly string[]): Promise<void> {
    const begun = await this.#tick();
    const { mutationId } = await this.#index.deleteByIds(keys);
    await this.#accepted(mutationId, begun);
    await this.#run(
      "DELETE FROM vector_garbage WHERE key IN (SELECT value FROM json_each(?))",
      JSON.stringify(keys),
    );
  }

  /** Scores of what Vectorize proposes, by its ids; exact where it gives the values. */
  async #ask(
    unit: Float32Array,
    options: { topK: number; namespace: string; filter: VectorizeFilter | undefined },
  ): Promise<ReadonlyMap<string, number>> {
    const { topK, namespace, filter } = options;
    const returnValues = topK <= TOP_WITH_VALUES;
    try {
      const { matches } = await this.#index.query(unit, {
        topK,
        namespace,
        ...(filter === undefined ? undefined : { filter }),
        returnValues,
        returnMetadata: "none",
      });
      return new Map(
        matches.map(({ id, score, values }) => [
          id,
          values === undefined ? score : dot(unit, unitVector(Float32Array.from(values))),
        ]),
      );
    } catch (error) {
      throw new EngineError(
        "vector_store_unavailable",
        `Vectorize did not answer: ${errorMessage(error)}`,
        { retryable: true, cause: error },
      );
    }
  }

  /** Sends rows to Vectorize, and notes the mutation that brings them there. */
  async #send(
    rows: ReadonlyArray<VectorRow & { readonly key: string; readonly namespace: string }>,
  ): Promise<void> {
    const begun = await this.#tick();
    const vectors = await Promise.all(
      rows.map(async ({ key, vector, namespace, metadata = {} }) => ({
        id: key,
        values: unitVector(vector),
        namespace,
        metadata: await toVectorizeMetadata(metadata),
      })),
    );
    const { mutationId } = await this.#index.upsert(vectors);
    await this.#accepted(mutationId, begun);
    await this.#run(
      "UPDATE vector_rows SET mutation = ? WHERE vector IS NOT NULL AND key IN (SELECT value FROM json_each(?))",
      mutationId,
      JSON.stringify(rows.map(({ key }) => key)),
    );
  }

  async #accepted(mutation: string, begun: number): Promise<void> {
    await this.#run(
      "INSERT OR REPLACE INTO vector_mutations VALUES (?, ?, ?, ?)",
      mutation,
      begun,
      await this.#tick(),
      this.#clock.now(),
    );
  }

  /** Rows whose write Vectorize was not heard to accept. */
  async #resend(before: number): Promise<void> {
    const lost = await this.#all(
      `SELECT namespace, id, key, scope, source, private, collection, document, vector FROM vector_rows
        WHERE vector IS NOT NULL AND mutation IS NULL AND written_at < ? LIMIT 200`,
      before,
    );
    const rows = lost.flatMap((row) => {
      const vector = fromBase64(String(row["vector"]));
      if (vector === undefined) return [];
      const [namespace, id, key] = [row["namespace"], row["id"], row["key"]].map(String);
      return [{ namespace, id, key, vector, metadata: metadataOf(row) }] as const;
    });
    if (rows.length > 0)
      await this.#send(rows as ReadonlyArray<VectorRow & { key: string; namespace: string }>);
  }

  /** Forgets the vectors that Vectorize has indexed (Z3). */
  async #settle(): Promise<void> {
    const { processedUpToMutation: last, processedUpToDatetime: until } =
      await this.#index.describe();
    const untilMs = new Date(until ?? 0).getTime();
    // By the last mutation, or by time, with a minute for clocks that differ.
    const covered = `SELECT m.mutation FROM vector_mutations m LEFT JOIN vector_mutations p ON p.mutation = ?1
      WHERE m.mutation = ?1 OR m.accepted < p.begun OR m.accepted_at < ?2`;
    const values = [String(last ?? ""), Number.isFinite(untilMs) ? untilMs - SETTLED_MS : 0];
    await this.#run(
      `UPDATE vector_rows SET vector = NULL, mutation = NULL WHERE vector IS NOT NULL AND mutation IN (${covered})`,
      ...values,
    );
    // The last one stays: others may yet be found to come before it.
    await this.#run(
      `DELETE FROM vector_mutations WHERE mutation <> ?1 AND mutation IN (${covered})`,
      ...values,
    );
  }

  async #checkPending(namespace: string): Promise<void> {
    if ((await this.#pending(namespace)) < this.#maxPending) return;
    await this.#settle().catch(() => undefined);
    const count = await this.#pending(namespace);
    if (count < this.#maxPending) return;
    throw new EngineError(
      "vector_store_unavailable",
      `${count} vectors of this collection wait for Vectorize to index them (at most ${this.#maxPending} may): write more when it has`,
      { retryable: true, retryAfterMs: RETRY_AFTER_MS },
    );
  }

  async #pending(namespace: string): Promise<number> {
    const [row] = await this.#all(
      "SELECT COUNT(*) AS count FROM vector_rows WHERE namespace = ? AND vector IS NOT NULL",
      namespace,
    );
    return Number(row?.["count"]);
  }

  /** Notes the vectors that these rows have so far, for the sweep. It deletes none that still stand for a row. */
  async #discard(namespace: string, ids: readonly string[]): Promise<void> {
    await this.#run(
      `INSERT OR REPLACE INTO vector_garbage SELECT key, ? FROM vector_rows
        WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))`,
      this.#clock.now(),
      namespace,
      JSON.stringify(ids),
    );
  }

  async #tick(): Promise<number> {
    const [row] = await this.#all("UPDATE vector_ticks SET tick = tick + 1 RETURNING tick");
    return Number(row?.["tick"]);
  }

  #all(
    sql: string,
    ...values: readonly (string | number)[]
  ): Promise<readonly Record<string, unknown>[]> {
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(sql)
        .bind(...values)
        .all();
      return results as Record<string, unknown>[];
    });
  }

  async #run(sql: string, ...values: readonly (string | number)[]): Promise<void> {
    await onDatabase(() =>
      this.#db
        .prepare(sql)
        .bind(...values)
        .run(),
    );
  }
}

/** Records as JSON lists that D1 takes. */
function* pagesOf(records: readonly object[]): Generator<string> {
  let page: string[] = [];
  let length = 0;
  for (const record of records) {
    const json = JSON.stringify(record);
    if (page.length > 0 && length + json.length > MAX_JSON_LENGTH) {
      yield `[${page.join(",")}]`;
      page = [];
      length = 0;
    }
    page.push(json);
    length += json.length + 1;
  }
  if (page.length > 0) yield `[${page.join(",")}]`;
}

function metadataOf(row: Record<string, unknown>): VectorMetadata {
  const metadata: Record<string, unknown> = { private: row["private"] === 1 };
  for (const field of ["scope", "source", "collection", "document"])
    if (typeof row[field] === "string") metadata[field] = row[field];
  return metadata;
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}
