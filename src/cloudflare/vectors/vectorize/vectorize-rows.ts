// Rows behind a Vectorize index in D1: collections, unindexed vectors, mutations, discarded keys.
//
// Owns the SQL. Does not talk to Vectorize (vectorize-index.ts) and does not choose a query's result (store.ts).
import type { Clock } from "../../../base/clock.ts";
import { unitVector } from "../../../vectors/check-vectors.ts";
import { fromBase64, toBase64 } from "../../../vectors/packed-text.ts";
import type {
  VectorFilter,
  VectorMetadata,
  VectorRow,
  VectorStoreInfo,
} from "../../../vectors/vector-store.ts";
import { onDatabase, type Database } from "../../d1.ts";
import { toSqlFilter } from "./vectorize-filter.ts";

/** Row with the id of its vector in Vectorize. */
export type KeyedRow = VectorRow & { readonly key: string; readonly namespace: string };

/** Maximum length of a JSON parameter. D1 allows texts of 2 MB. */
const MAX_JSON_LENGTH = 1_000_000;
/** Number of rows resent in one sweep. */
const RESEND_BATCH = 200;
/** Number of discarded keys deleted in one sweep. */
const SWEEP_BATCH = 1000;

export class VectorizeRows {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async info(namespace: string): Promise<VectorStoreInfo | undefined> {
    const [row] = await this.#all(
      "SELECT model, dimension FROM vector_collections WHERE namespace = ?",
      namespace,
    );
    return row && { model: String(row["model"]), dimension: Number(row["dimension"]) };
  }

  /** Returns the stored collection; creates it as `wanted` if it did not exist. */
  async makeCollection(namespace: string, wanted: VectorStoreInfo): Promise<VectorStoreInfo> {
    const known = await this.info(namespace);
    if (known) return known;
    const insert = `INSERT INTO vector_collections VALUES (?, ?, ?) ON CONFLICT DO NOTHING`;
    await this.#run(insert, namespace, wanted.model, wanted.dimension);
    return (await this.info(namespace)) ?? wanted;
  }

  /** Writes rows with their unsent vectors. Their previous vectors are discarded. */
  async write(namespace: string, rows: readonly KeyedRow[]): Promise<void> {
    const records = rows.map(({ id, key, vector, metadata = {} }) => ({
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
  }

  async remove(namespace: string, ids: readonly string[]): Promise<void> {
    await this.#discard(namespace, ids);
    await this.#run(
      "DELETE FROM vector_rows WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))",
      namespace,
      JSON.stringify(ids),
    );
  }

  /** Removes the rows of a collection; leaves one of the excepted model and dimension unchanged. */
  async clear(namespace: string, except?: VectorStoreInfo): Promise<void> {
    const { model = "", dimension = 0 } = except ?? {};
    const isOther =
      "NOT EXISTS (SELECT 1 FROM vector_collections c WHERE c.namespace = ? AND c.model = ? AND c.dimension = ?)";
    const other = [namespace, model, dimension] as const;
    await this.#run(
      `INSERT OR REPLACE INTO vector_garbage SELECT key, ? FROM vector_rows WHERE namespace = ? AND ${isOther}`,
      this.#clock.now(),
      namespace,
      ...other,
    );
    await this.#run(
      `DELETE FROM vector_rows WHERE namespace = ? AND ${isOther}`,
      namespace,
      ...other,
    );
    await this.#run(
      "DELETE FROM vector_collections WHERE namespace = ? AND NOT (model = ? AND dimension = ?)",
      ...other,
    );
  }

  /** Returns the rows not yet indexed by Vectorize. A vector is undefined if its text cannot be read. */
  async pending(
    namespace: string,
    filter: VectorFilter,
  ): Promise<ReadonlyArray<{ readonly id: string; readonly vector: Float32Array | undefined }>> {
    const sql = toSqlFilter(filter);
    const rows = await this.#all(
      `SELECT id, vector FROM vector_rows WHERE namespace = ? AND vector IS NOT NULL${sql.condition}`,
      namespace,
      ...sql.values,
    );
    return rows.map((row) => ({
      id: String(row["id"]),
      vector: fromBase64(String(row["vector"])),
    }));
  }

  async countPending(namespace: string): Promise<number> {
    const [row] = await this.#all(
      "SELECT COUNT(*) AS count FROM vector_rows WHERE namespace = ? AND vector IS NOT NULL",
      namespace,
    );
    return Number(row?.["count"]);
  }

  /** Returns the indexed rows with these keys. */
  async indexed(
    namespace: string,
    keys: readonly string[],
    filter: VectorFilter,
  ): Promise<ReadonlyArray<{ readonly id: string; readonly key: string }>> {
    const sql = toSqlFilter(filter);
    const rows = await this.#all(
      `SELECT id, key FROM vector_rows WHERE namespace = ? AND vector IS NULL AND key IN (SELECT value FROM json_each(?))${sql.condition}`,
      namespace,
      JSON.stringify(keys),
      ...sql.values,
    );
    return rows.map((row) => ({ id: String(row["id"]), key: String(row["key"]) }));
  }

  /** Returns rows written before `before`, in milliseconds, and not confirmed by Vectorize. */
  async unconfirmed(before: number): Promise<readonly KeyedRow[]> {
    const rows = await this.#all(
      `SELECT namespace, id, key, scope, source, private, collection, document, vector FROM vector_rows
        WHERE vector IS NOT NULL AND mutation IS NULL AND written_at < ? LIMIT ${RESEND_BATCH}`,
      before,
    );
    return rows.flatMap((row) => {
      const vector = fromBase64(String(row["vector"]));
      if (vector === undefined) return [];
      const namespace = String(row["namespace"]);
      const id = String(row["id"]);
      return [{ namespace, id, key: String(row["key"]), vector, metadata: metadataOf(row) }];
    });
  }

  /** Returns keys discarded before `before`, in milliseconds, and without a row. */
  async garbage(before: number): Promise<readonly string[]> {
    const rows = await this.#all(
      `SELECT key FROM vector_garbage WHERE discarded_at < ? AND NOT EXISTS
        (SELECT 1 FROM vector_rows WHERE vector_rows.key = vector_garbage.key) ORDER BY discarded_at LIMIT ${SWEEP_BATCH}`,
      before,
    );
    return rows.map((row) => String(row["key"]));
  }

  forgetGarbage(keys: readonly string[]): Promise<void> {
    return this.#run(
      "DELETE FROM vector_garbage WHERE key IN (SELECT value FROM json_each(?))",
      JSON.stringify(keys),
    );
  }

  /** Returns the place of a mutation in the order of all; taken before sending it and after its acceptance. */
  async tick(): Promise<number> {
    const [row] = await this.#all("UPDATE vector_ticks SET tick = tick + 1 RETURNING tick");
    return Number(row?.["tick"]);
  }

  /** Records a mutation accepted by Vectorize. `begun` is the tick from before it was sent. */
  async recordMutation(mutation: string, begun: number): Promise<void> {
    await this.#run(
      "INSERT OR REPLACE INTO vector_mutations VALUES (?, ?, ?, ?)",
      mutation,
      begun,
      await this.tick(),
      this.#clock.now(),
    );
  }

  /** Records the mutation with which the vectors of these keys were sent. */
  confirm(mutation: string, keys: readonly string[]): Promise<void> {
    return this.#run(
      "UPDATE vector_rows SET mutation = ? WHERE vector IS NOT NULL AND key IN (SELECT value FROM json_each(?))",
      mutation,
      JSON.stringify(keys),
    );
  }

  /**
   * Removes the vectors of rows indexed by Vectorize (Z3): those of mutation `last`, of mutations accepted before it
   * was begun, and of mutations accepted before `before`, in milliseconds.
   */
  async settle(last: string, before: number): Promise<void> {
    const covered = `SELECT m.mutation FROM vector_mutations m LEFT JOIN vector_mutations p ON p.mutation = ?1
      WHERE m.mutation = ?1 OR m.accepted < p.begun OR m.accepted_at < ?2`;
    await this.#run(
      `UPDATE vector_rows SET vector = NULL, mutation = NULL WHERE vector IS NOT NULL AND mutation IN (${covered})`,
      last,
      before,
    );
    // The last mutation stays, as others may prove to precede it.
    await this.#run(
      `DELETE FROM vector_mutations WHERE mutation <> ?1 AND mutation IN (${covered})`,
      last,
      before,
    );
  }

  /** Notes the current vectors of these rows for the sweep, which skips vectors still in use by a row. */
  async #discard(namespace: string, ids: readonly string[]): Promise<void> {
    await this.#run(
      `INSERT OR REPLACE INTO vector_garbage SELECT key, ? FROM vector_rows
        WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))`,
      this.#clock.now(),
      namespace,
      JSON.stringify(ids),
    );
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

/** Yields records as JSON lists within D1's limit. */
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
