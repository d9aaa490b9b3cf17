// Vectors of one collection in SQLite, with search in memory.
//
//   VX1. SQLite is the source of truth. The data in memory is built from it at the first search and updated with each
//        write. A failed write changes neither.
//   VX2. Memory has a code of each vector (int8). A search selects more rows by their codes than requested and scores
//        them by their whole vectors. The result is exact, except for rows ranked too low by their codes.
//   VX3. Memory use is limited. A write beyond the limit is rejected, before the object runs out of memory.
import { EngineError } from "../../base/error.ts";
import {
  checkFits,
  checkIds,
  checkQuery,
  checkRows,
  isMadeWith,
  unitVector,
} from "../../vectors/check-vectors.ts";
import { floorOf, scoreOf } from "../../vectors/exact-vectors.ts";
import { PackedVectors } from "../../vectors/packed-vectors.ts";
import { byScore } from "../../vectors/top-matches.ts";
import type {
  VectorMatch,
  VectorMetadata,
  VectorQuery,
  VectorRow,
  VectorStoreInfo,
} from "../../vectors/vector-store.ts";
import type { NamedModel } from "./vector-index-api.ts";

/** Used part of a Durable Object's SQLite. `node:sqlite` fits it as well. */
export interface VectorDatabase {
  exec(
    query: string,
    ...bindings: ReadonlyArray<string | number | null | Uint8Array>
  ): Iterable<Record<string, unknown>>;
  /** Runs a change as one transaction. */
  transaction(change: () => void): void;
}

/** Schema changes. Each entry migrates from its index to the next; never edited once released. */
const MIGRATIONS: ReadonlyArray<readonly string[]> = [
  [
    `CREATE TABLE made (only INTEGER PRIMARY KEY CHECK (only = 1), model TEXT NOT NULL, dimension INTEGER NOT NULL)`,
    `CREATE TABLE vectors (id TEXT PRIMARY KEY, vector BLOB NOT NULL, metadata TEXT)`,
  ],
];

/** Part of an object's 128 MiB. The rest is for code, requests and garbage. */
const MAX_MEMORY_BYTES = 72 * 1024 * 1024;
/** Memory of a row beside its code: its id, its slot, its filters. */
const ROW_BYTES = 256;

/** Number of candidates to select by their codes. In bench/vectors.ts, 20 candidates included all of the true 10. */
const candidatesOf = (limit: number): number => 2 * limit + 20;
/** Maximum error of a code's score. */
const CODE_ERROR = 0.05;

type Made = { readonly info: VectorStoreInfo; readonly rows: PackedVectors };

export class SqlVectorIndex {
  readonly #sql: VectorDatabase;
  readonly #maxMemoryBytes: number;
  #migrated = false;
  #made: Made | undefined;

  constructor(sql: VectorDatabase, maxMemoryBytes = MAX_MEMORY_BYTES) {
    this.#sql = sql;
    this.#maxMemoryBytes = maxMemoryBytes;
  }

  upsert(named: NamedModel, rows: readonly VectorRow[]): void {
    checkRows(rows);
    const dimension = rows[0]?.vector.length;
    if (dimension === undefined) return;
    const info = { model: named.model, dimension };
    let made = this.#load();
    if (made) checkFits(made.info, info, named);
    const units = rows.map((row) => ({ ...row, vector: unitVector(row.vector) }));
    const fresh = new Set(rows.map(({ id }) => id)).size;
    this.#checkRoom((made?.rows.size ?? 0) + fresh, made, { rows, dimension });
    this.#migrate();
    this.#sql.transaction(() => {
      if (!made) this.#run(`INSERT INTO made VALUES (1, ?, ?)`, info.model, info.dimension);
      for (const { id, vector, metadata } of units) {
        this.#run(
          `INSERT OR REPLACE INTO vectors (id, vector, metadata) VALUES (?, ?, ?)`,
          id,
          new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
          metadata === undefined ? null : JSON.stringify(metadata),
        );
      }
    });
    made ??= this.#made = { info, rows: new PackedVectors(dimension, "int8") };
    for (const { id, vector, metadata } of units) made.rows.set(id, vector, metadata);
  }

  delete(ids: readonly string[]): void {
    checkIds(ids);
    const made = this.#load();
    if (!made) return;
    this.#run(
      `DELETE FROM vectors WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    );
    for (const id of ids) made.rows.delete(id);
  }

  search(named: NamedModel, vector: Float32Array, query: VectorQuery): readonly VectorMatch[] {
    checkQuery(vector, query);
    const made = this.#load();
    if (!made) return [];
    checkFits(made.info, { model: named.model, dimension: vector.length }, named);
    const { limit, minScore = 0, filter = {} } = query;
    const unit = unitVector(vector);
    const floor = floorOf(minScore);
    const candidates = made.rows.search(unit, {
      limit: candidatesOf(limit),
      floor: floor - CODE_ERROR,
      filter,
    });
    return this.#rescored(unit, candidates)
      .filter(({ score }) => score >= floor)
      .toSorted(byScore)
      .slice(0, limit)
      .map(({ id, score }) => ({ id, score: scoreOf(score) }));
  }

  info(): VectorStoreInfo | undefined {
    return this.#made?.info ?? this.#readInfo();
  }

  clear(except?: VectorStoreInfo): void {
    const info = this.#readInfo();
    if (info === undefined || isMadeWith(info, except)) return;
    this.#sql.transaction(() => {
      this.#run(`DELETE FROM vectors`);
      this.#run(`DELETE FROM made`);
    });
    this.#made = undefined;
  }

  #rescored(
    unit: Float32Array,
    candidates: readonly { readonly id: string }[],
  ): { readonly id: string; readonly score: number }[] {
    const rows = this.#sql.exec(
      `SELECT id, vector FROM vectors WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(candidates.map(({ id }) => id)),
    );
    return Array.from(rows, (row) => {
      const vector = vectorOf(row["vector"]);
      let score = 0;
      for (let index = 0; index < unit.length; index++)
        score += (unit[index] ?? 0) * (vector[index] ?? 0);
      return { id: String(row["id"]), score };
    });
  }

  /** Loads the stored rows into memory. */
  #load(): Made | undefined {
    if (this.#made) return this.#made;
    const info = this.#readInfo();
    if (info === undefined) return undefined;
    const rows = new PackedVectors(info.dimension, "int8");
    for (const row of this.#sql.exec(`SELECT id, vector, metadata FROM vectors`)) {
      const { metadata } = row;
      rows.set(
        String(row["id"]),
        vectorOf(row["vector"]),
        typeof metadata === "string" ? (JSON.parse(metadata) as VectorMetadata) : undefined,
      );
    }
    return (this.#made = { info, rows });
  }

  #readInfo(): VectorStoreInfo | undefined {
    if (!this.#migrated && this.#version() === 0) return undefined;
    this.#migrate();
    for (const row of this.#sql.exec(`SELECT model, dimension FROM made`))
      return { model: String(row["model"]), dimension: Number(row["dimension"]) };
    return undefined;
  }

  #checkRoom(
    count: number,
    made: Made | undefined,
    { rows, dimension }: { rows: readonly VectorRow[]; dimension: number },
  ): void {
    const most = Math.floor(this.#maxMemoryBytes / (dimension + ROW_BYTES));
    if (count <= most) return;
    const known = made ? rows.filter(({ id }) => made.rows.has(id)).length : 0;
    if (count - known <= most) return;
    throw new EngineError(
      "limit_exceeded",
      `a collection in a Durable Object holds at most ${most} vectors of ${dimension} dimensions: delete some, split the ` +
        `collection, or keep vectors in Vectorize`,
    );
  }

  /** Returns the version of the stored schema; 0 before the first write. */
  #version(): number {
    for (const _ of this.#sql.exec(
      `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'`,
    )) {
      for (const row of this.#sql.exec(`SELECT version FROM schema_version`))
        return Number(row["version"]);
    }
    return 0;
  }

  #migrate(): void {
    if (this.#migrated) return;
    const from = this.#version();
    if (from > MIGRATIONS.length) {
      throw new EngineError(
        "internal",
        `the vectors were written by a newer version (schema ${from}, this code knows ${MIGRATIONS.length})`,
      );
    }
    if (from < MIGRATIONS.length) {
      this.#sql.transaction(() => {
        if (from === 0) this.#run(`CREATE TABLE schema_version (version INTEGER NOT NULL)`);
        if (from === 0) this.#run(`INSERT INTO schema_version VALUES (0)`);
        for (const statement of MIGRATIONS.slice(from).flat()) this.#run(statement);
        this.#run(`UPDATE schema_version SET version = ?`, MIGRATIONS.length);
      });
    }
    this.#migrated = true;
  }

  #run(query: string, ...bindings: ReadonlyArray<string | number | null | Uint8Array>): void {
    this.#sql.exec(query, ...bindings);
  }
}

/**
 * Converts a blob to numbers. A Durable Object returns an ArrayBuffer, `node:sqlite` bytes at any offset of a buffer.
 */
function vectorOf(blob: unknown): Float32Array {
  if (blob instanceof ArrayBuffer) return new Float32Array(blob);
  if (blob instanceof Uint8Array) return new Float32Array(blob.slice().buffer);
  throw new EngineError("internal", "a stored vector is no blob");
}
