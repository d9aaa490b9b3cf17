// Knowledge in D1. Lists of ids are one JSON parameter, as a statement allows a hundred parameters.
import type { QuotaGate } from "../../parts/quota-gate.ts";
import { fingerprint } from "../../base/hash.ts";
import type { CollectionUses } from "../../knowledge/collection-use.ts";
import {
  CHUNK_WEIGHTS,
  chunkWords,
  type CollectionInfo,
  type DocumentChange,
  type KnowledgeChunk,
  type KnowledgeDocument,
  type KnowledgeStore,
} from "../../knowledge/knowledge-store.ts";
import { onDatabase, type BatchDatabase, type Statement } from "../d1.ts";

import {
  chunkOf,
  documentOf,
  useOf,
  type ChunkRow,
  type DocumentRow,
  type UseRow,
} from "./knowledge-rows.ts";

const WORDS = "knowledge_terms";
/** Table of chunks written by earlier versions. */
const OLD_WORDS = "knowledge_words";
/** Columns of changeable fields. */
const COLUMNS = {
  state: "state",
  recipe: "recipe",
  error: "error",
  runId: "run_id",
  updatedAtMs: "updated_at",
} as const satisfies Readonly<Record<keyof DocumentChange, string>>;
/** Number of best rows to look up for each wanted one: ties are ordered by id. */
const POOL_FACTOR = 2;

type NamePage = { readonly limit: number; readonly after?: string | undefined };

/** A tenant's knowledge. */
export class D1KnowledgeStore implements KnowledgeStore {
  readonly #db: BatchDatabase;
  readonly #tenant: string;
  readonly #quotas: Pick<QuotaGate, "admit"> | undefined;
  readonly uses: CollectionUses = {
    get: async (id) => {
      const sql = "SELECT * FROM knowledge_uses WHERE tenant = ? AND id = ?";
      const [row] = await this.#all<UseRow>(sql, [id]);
      return row === undefined ? undefined : useOf(row);
    },
    put: async ({ id, collection, model, version = null, isTemporary, ...times }) => {
      const values = [id, collection, model, version, isTemporary ? 1 : 0];
      await this.#batch([
        this.#statement(
          "INSERT OR REPLACE INTO knowledge_uses (tenant, id, collection, model, version, is_temporary, checked_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
          [...values, times.checkedAtMs, times.usedAtMs],
        ),
      ]);
    },
    unused: async (beforeMs, limit) => {
      const rows = await this.#all<UseRow>(
        "SELECT * FROM knowledge_uses WHERE tenant = ? AND is_temporary = 1 AND used_at < ? ORDER BY used_at LIMIT ?",
        [beforeMs, limit],
      );
      return rows.map(useOf);
    },
  };

  constructor(db: BatchDatabase, tenant: string, quotas?: Pick<QuotaGate, "admit">) {
    this.#quotas = quotas;
    this.#db = db;
    this.#tenant = tenant;
  }

  async collections({ limit, after = "" }: NamePage): Promise<CollectionInfo[]> {
    const rows = await this.#all<{ name: string; documents: number; chunks: number }>(
      "SELECT collection AS name, count(*) AS documents, sum(chunks) AS chunks FROM knowledge_documents " +
        "WHERE tenant = ? AND collection > ? GROUP BY collection ORDER BY collection LIMIT ?",
      [after, limit],
    );
    return rows.map(({ name, documents, chunks }) => ({ name, documents, chunks }));
  }

  async info(collection: string): Promise<CollectionInfo> {
    const [row] = await this.#all<{ documents: number; chunks: number }>(
      "SELECT (SELECT count(*) FROM knowledge_documents WHERE tenant = ?1 AND collection = ?2) AS documents, " +
        "(SELECT count(*) FROM knowledge_chunks WHERE tenant = ?1 AND collection = ?2) AS chunks",
      [collection],
    );
    return { name: collection, documents: row?.documents ?? 0, chunks: row?.chunks ?? 0 };
  }

  async document(collection: string, id: string): Promise<KnowledgeDocument | undefined> {
    const [row] = await this.#all<DocumentRow>(
      "SELECT * FROM knowledge_documents WHERE tenant = ? AND collection = ? AND id = ?",
      [collection, id],
    );
    return row === undefined ? undefined : documentOf(row);
  }

  async documents(
    collection: string,
    {
      limit,
      after = "",
      state = "",
    }: NamePage & { readonly state?: KnowledgeDocument["state"] | "" | undefined },
  ): Promise<KnowledgeDocument[]> {
    const rows = await this.#all<DocumentRow>(
      "SELECT * FROM knowledge_documents WHERE tenant = ? AND collection = ? AND name > ? AND ? IN ('', state) ORDER BY name LIMIT ?",
      [collection, after, state, limit],
    );
    return rows.map(documentOf);
  }

  async putDocument(collection: string, document: KnowledgeDocument): Promise<void> {
    const { id, name, reader, state, hash, recipe, characters, chunks, indexed } = document;
    const { error = null, losses, runId, createdAtMs, updatedAtMs } = document;
    const counts = [characters, chunks, indexed];
    await this.#batch([
      this.#statement(
        "INSERT OR REPLACE INTO knowledge_documents (tenant, collection, id, name, reader, state, hash, recipe, characters, chunks, indexed, " +
          "error, losses, run_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
          collection,
          id,
          name,
          reader,
          state,
          hash,
          recipe,
          ...counts,
          error,
          losses === undefined ? null : JSON.stringify(losses),
          runId,
          createdAtMs,
          updatedAtMs,
        ],
      ),
    ]);
  }

  async updateDocument(
    collection: string,
    { id, recipe }: { readonly id: string; readonly recipe?: string },
    change: DocumentChange,
  ): Promise<boolean> {
    const fields = Object.entries(change) as ReadonlyArray<
      readonly [keyof DocumentChange, string | number]
    >;
    const columns = fields.map(([field], at) => `${COLUMNS[field]} = ?${at + 5}`);
    const rows = await this.#all(
      `UPDATE knowledge_documents SET ${columns.join(", ")} WHERE tenant = ?1 AND collection = ?2 AND id = ?3 AND recipe = coalesce(?4, recipe) RETURNING id`,
      [collection, id, recipe ?? null, ...fields.map(([, value]) => value)],
    );
    return rows.length > 0;
  }

  async deleteDocument(collection: string, id: string): Promise<void> {
    await this.#batch([
      ...this.#deletions("document = ?", [collection, id]),
      this.#statement(
        "DELETE FROM knowledge_chunks WHERE tenant = ? AND collection = ? AND document = ?",
        [collection, id],
      ),
      this.#statement(
        "DELETE FROM knowledge_documents WHERE tenant = ? AND collection = ? AND id = ?",
        [collection, id],
      ),
    ]);
  }

  async chunkIds(collection: string, document: string): Promise<string[]> {
    const rows = await this.#all<{ id: string }>(
      "SELECT id FROM knowledge_chunks WHERE tenant = ? AND collection = ? AND document = ? ORDER BY ordinal",
      [collection, document],
    );
    return rows.map(({ id }) => id);
  }

  async chunks(collection: string, ids: readonly string[]): Promise<KnowledgeChunk[]> {
    const rows = await this.#all<ChunkRow>(
      "SELECT * FROM knowledge_chunks WHERE tenant = ? AND collection = ? AND id IN (SELECT value FROM json_each(?))",
      [collection, JSON.stringify(ids)],
    );
    const found = new Map(rows.map((row) => [row.id, chunkOf(row)]));
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async putChunks(collection: string, chunks: readonly KnowledgeChunk[]): Promise<void> {
    if (this.#quotas !== undefined) {
      const there = await this.chunks(
        collection,
        chunks.map(({ id }) => id),
      );
      const added = chunks.length - there.length;
      if (added > 0) await this.#quotas.admit("knowledgeChunks", added);
    }
    const place = this.#place(collection);
    const ids = JSON.stringify(chunks.map(({ id }) => id));
    await this.#batch([
      this.#deletion(OLD_WORDS, "id IN (SELECT value FROM json_each(?))", [collection, ids]),
      ...chunks.flatMap((chunk) => {
        const { id, document, ordinal, text, start, end, ...rest } = chunk;
        const { own, near, about } = chunkWords(chunk);
        return [
          this.#statement(
            "INSERT INTO knowledge_chunks (tenant, collection, id, document, ordinal, content, start_at, end_at, place) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) " +
              "ON CONFLICT (tenant, collection, id) DO UPDATE SET document = excluded.document, ordinal = excluded.ordinal, content = excluded.content, " +
              "start_at = excluded.start_at, end_at = excluded.end_at, place = excluded.place",
            [collection, id, document, ordinal, text, start, end, JSON.stringify(rest)],
          ),
          this.#statement(
            "INSERT OR REPLACE INTO knowledge_terms (rowid, place, own, near, about) " +
              "SELECT number, ?4, ?5, ?6, ?7 FROM knowledge_chunks WHERE tenant = ?1 AND collection = ?2 AND id = ?3",
            [collection, id, place, own.join(" "), near.join(" "), about.join(" ")],
          ),
        ];
      }),
    ]);
  }

  async deleteChunks(collection: string, ids: readonly string[]): Promise<void> {
    const parameters = [collection, JSON.stringify(ids)];
    await this.#batch([
      ...this.#deletions("id IN (SELECT value FROM json_each(?))", parameters),
      this.#statement(
        "DELETE FROM knowledge_chunks WHERE tenant = ? AND collection = ? AND id IN (SELECT value FROM json_each(?))",
        parameters,
      ),
    ]);
  }

  async searchText(
    collection: string,
    terms: readonly string[],
    limit: number,
  ): Promise<KnowledgeChunk[]> {
    if (terms.length === 0) return [];
    const words = terms.map((term) => `"${term.replaceAll('"', "")}"`).join(" OR ");
    const place = this.#place(collection);
    const { own, near, about } = CHUNK_WEIGHTS;
    const weights = [0, own, near, about].map((weight) => weight.toFixed(1)).join(", ");
    const rows = await this.#all<ChunkRow>(
      "SELECT c.* FROM (" +
        `SELECT rowid AS hit, bm25(knowledge_terms, ${weights}) AS worst FROM knowledge_terms WHERE knowledge_terms MATCH ?3 ` +
        "UNION ALL SELECT rowid, bm25(knowledge_words, 0.0, 1.0) FROM knowledge_words WHERE knowledge_words MATCH ?4 " +
        "ORDER BY worst LIMIT ?5) CROSS JOIN knowledge_chunks c ON c.number = hit " +
        "WHERE c.tenant = ?1 AND c.collection = ?2 ORDER BY worst, c.id LIMIT ?6",
      [
        collection,
        `place:${place} AND {own near about}:(${words})`,
        `place:${place} AND terms:(${words})`,
        POOL_FACTOR * limit,
        limit,
      ],
    );
    return rows.map(chunkOf);
  }

  async deleteCollection(collection: string): Promise<void> {
    await this.#batch([
      ...this.#deletions("1", [collection]),
      this.#statement("DELETE FROM knowledge_chunks WHERE tenant = ? AND collection = ?", [
        collection,
      ]),
      this.#statement("DELETE FROM knowledge_documents WHERE tenant = ? AND collection = ?", [
        collection,
      ]),
      this.#statement("DELETE FROM knowledge_uses WHERE tenant = ? AND collection = ?", [
        collection,
      ]),
    ]);
  }

  /** Deletes the words of chunks meeting a condition. */
  #deletions(condition: string, values: ReadonlyArray<string | number | null>): Statement[] {
    return [OLD_WORDS, WORDS].map((table) => this.#deletion(table, condition, values));
  }

  #deletion(
    table: string,
    condition: string,
    values: ReadonlyArray<string | number | null>,
  ): Statement {
    return this.#statement(
      `DELETE FROM ${table} WHERE rowid IN (SELECT number FROM knowledge_chunks WHERE tenant = ? AND collection = ? AND ${condition})`,
      values,
    );
  }

  /** Returns one word for tenant and collection. */
  #place(collection: string): string {
    return `c${fingerprint(JSON.stringify([this.#tenant, collection]))}`;
  }

  /** Binds a statement with the tenant as its first parameter. */
  #statement(sql: string, values: ReadonlyArray<string | number | null>): Statement {
    return this.#db.prepare(sql).bind(this.#tenant, ...values);
  }

  #all<Row>(sql: string, values: ReadonlyArray<string | number | null>): Promise<readonly Row[]> {
    return onDatabase(async () => {
      const { results } = await this.#statement(sql, values).all();
      return results as readonly Row[];
    });
  }

  #batch(statements: readonly Statement[]): Promise<unknown> {
    if (statements.length === 0) return Promise.resolve();
    return onDatabase(() => this.#db.batch([...statements]));
  }
}

/** Returns tenants with collections last used before a time, at most the number of one sweep. */
export async function tenantsWithUnused(
  db: BatchDatabase,
  beforeMs: number,
): Promise<readonly string[]> {
  const { results } = await onDatabase(() =>
    db
      .prepare(
        "SELECT DISTINCT tenant FROM knowledge_uses WHERE is_temporary = 1 AND used_at < ? LIMIT 20",
      )
      .bind(beforeMs)
      .all(),
  );
  return (results as readonly { tenant: string }[]).map(({ tenant }) => tenant);
}
