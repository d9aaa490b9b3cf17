// A Vectorize index behind its binding: it refuses what the platform's documentation says is refused, indexes only the first 64
// bytes of texts, scores roughly where it is not asked for values, and shows writes only once they are processed.
// developers.cloudflare.com/vectorize: platform/limits, reference/metadata-filtering, best-practices/query-vectors
import { VECTORIZE_METADATA_INDEXES } from "../../src/wire/metadata-indexes.ts";
import type { Database } from "../../src/cloudflare/d1.ts";
import type { VectorizeBinding } from "../../src/cloudflare/vectors/vectorize/vectorize-binding.ts";
import { VectorizeStores } from "../../src/cloudflare/vectors/vectorize/vectorize-store.ts";
import type { VectorStores } from "../../src/vectors/vector-store.ts";
import { cosine } from "./vector-store.suite.ts";

type Stored = {
  readonly id: string;
  readonly values: Float32Array;
  readonly namespace: string;
  readonly metadata: Readonly<Record<string, unknown>>;
};

type Mutation = {
  readonly id: string;
  readonly upserts: readonly Stored[];
  readonly deletes: readonly string[];
};

type Condition = Readonly<Record<string, unknown>>;

const OPERATORS = ["$eq", "$ne", "$in", "$nin", "$lt", "$lte", "$gt", "$gte"];

export type VectorizeDoubleOptions = {
  readonly dimensions: number;
  /** When mutations are processed: at once, one with each `describe`, or when `process` is called. */
  readonly lag: "none" | "describe" | "manual";
  readonly indexes?: readonly string[];
};

export class VectorizeDouble implements VectorizeBinding {
  readonly stored = new Map<string, Stored>();
  readonly waiting: Mutation[] = [];
  /** Names of the calls, in order. */
  readonly calls: string[] = [];
  /** While set, every call fails with it. */
  outage: Error | undefined;
  /** While true, mutations are taken, but their answer is lost. */
  losesAnswers = false;
  /** As `describe` tells it. */
  processedAt: string | undefined;
  readonly #options: VectorizeDoubleOptions;
  #mutations = 0;
  #processed = "";

  constructor(options: VectorizeDoubleOptions) {
    this.#options = options;
  }

  async upsert(
    vectors: Parameters<VectorizeBinding["upsert"]>[0],
  ): ReturnType<VectorizeBinding["upsert"]> {
    this.#begin("upsert");
    refuseUnless(vectors.length > 0 && vectors.length <= 1000, "1 to 1000 vectors in one upsert");
    for (const { id, values, namespace, metadata } of vectors) {
      refuseUnless(bytes(id) > 0 && bytes(id) <= 64, "ids of 1 to 64 bytes");
      refuseUnless(bytes(namespace) > 0 && bytes(namespace) <= 64, "namespaces of 1 to 64 bytes");
      refuseUnless(
        values.length === this.#options.dimensions,
        `vectors of ${this.#options.dimensions} dimensions`,
      );
      refuseUnless(values.every(Number.isFinite), "finite numbers");
      refuseUnless(bytes(JSON.stringify(metadata)) <= 10 * 1024, "10 KiB of metadata");
      for (const key of Object.keys(metadata))
        refuseUnless(/^[^$."][^."]{0,511}$/.test(key), "keys without dots, quotes and leading $");
    }
    return this.#mutate({ upserts: structuredClone([...vectors]), deletes: [] });
  }

  async deleteByIds(ids: readonly string[]): ReturnType<VectorizeBinding["deleteByIds"]> {
    this.#begin("deleteByIds");
    refuseUnless(ids.length > 0 && ids.length <= 100, "1 to 100 ids in one deletion");
    return this.#mutate({ upserts: [], deletes: [...ids] });
  }

  async query(
    vector: Float32Array,
    options: Parameters<VectorizeBinding["query"]>[1],
  ): ReturnType<VectorizeBinding["query"]> {
    this.#begin(`query ${options.topK}`);
    const { topK, namespace, filter, returnValues } = options;
    refuseUnless(vector.length === this.#options.dimensions, "a vector of the index's dimensions");
    refuseUnless(Number.isInteger(topK) && topK >= 1 && topK <= 100, "topK from 1 to 100");
    refuseUnless(!returnValues || topK <= 20, "topK to 20 with values");
    if (filter) this.#checkFilter(filter);
    const matches = [...this.stored.values()]
      .filter((each) => each.namespace === namespace)
      .filter(({ metadata }) => fits(metadata, filter ?? {}))
      .map(({ id, values }) => ({ id, values, score: cosine(vector, values) }))
      .toSorted((one, other) => other.score - one.score)
      .slice(0, topK)
      .map(({ id, values, score }) =>
        returnValues ? { id, score, values } : { id, score: Math.round(score * 500) / 500 },
      );
    return { matches };
  }

  async describe(): ReturnType<VectorizeBinding["describe"]> {
    this.#begin("describe");
    if (this.#options.lag === "describe") this.process(1);
    return {
      dimensions: this.#options.dimensions,
      processedUpToMutation: this.#processed,
      ...(this.processedAt === undefined ? undefined : { processedUpToDatetime: this.processedAt }),
    };
  }

  /** Makes the oldest mutations visible. @default all of them */
  process(count = this.waiting.length): void {
    for (const { id, upserts, deletes } of this.waiting.splice(0, count)) {
      for (const vector of upserts) this.stored.set(vector.id, vector);
      for (const key of deletes) this.stored.delete(key);
      this.#processed = id;
    }
  }

  #begin(call: string): void {
    this.calls.push(call);
    if (this.outage) throw this.outage;
  }

  #mutate(change: Omit<Mutation, "id">): { mutationId: string } {
    const id = `00000000-0000-4000-8000-${String(++this.#mutations).padStart(12, "0")}`;
    this.waiting.push({ id, ...change });
    if (this.#options.lag === "none") this.process();
    if (this.losesAnswers) throw new Error("the connection was lost");
    return { mutationId: id };
  }

  #checkFilter(filter: object): void {
    refuseUnless(Object.keys(filter).length > 0, "a filter that is not empty");
    refuseUnless(bytes(JSON.stringify(filter)) < 2048, "a filter below 2048 bytes");
    const indexes: readonly string[] = this.#options.indexes ?? VECTORIZE_METADATA_INDEXES;
    refuseUnless(indexes.length <= 10, "at most 10 metadata indexes");
    for (const [field, condition] of Object.entries(filter)) {
      refuseUnless(indexes.includes(field), `a metadata index on ${field}`);
      for (const [operator, value] of Object.entries(condition as Condition)) {
        refuseUnless(OPERATORS.includes(operator), `operators, not ${operator}`);
        refuseUnless(
          Array.isArray(value) === ["$in", "$nin"].includes(operator),
          "lists for $in and $nin alone",
        );
      }
    }
  }
}

function fits(metadata: Readonly<Record<string, unknown>>, filter: object): boolean {
  return Object.entries(filter).every(([field, condition]) => {
    const value = indexed(metadata[field]);
    return Object.entries(condition as Condition).every(([operator, wanted]) =>
      holds(operator, value, wanted),
    );
  });
}

function holds(operator: string, value: string | undefined, wanted: unknown): boolean {
  const other = String(wanted);
  switch (operator) {
    case "$eq":
      return value === other;
    case "$ne":
      return value !== other;
    case "$in":
      return value !== undefined && (wanted as string[]).includes(value);
    case "$nin":
      return value === undefined || !(wanted as string[]).includes(value);
    case "$lt":
      return value !== undefined && value < other;
    case "$lte":
      return value !== undefined && value <= other;
    case "$gt":
      return value !== undefined && value > other;
    default:
      return value !== undefined && value >= other;
  }
}

/** What the index holds of a text: its first 64 bytes. */
function indexed(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return new TextDecoder().decode(new TextEncoder().encode(value).slice(0, 64));
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

function refuseUnless(holdsTrue: boolean, expected: string): void {
  if (!holdsTrue) throw new Error(`VECTORIZE_ERROR (code = 40000): expected ${expected}`);
}

/** Indexes by the number of their dimensions: a real deployment has one, and its embedder fits it. */
export function anyDimensions(db: Database, lag: VectorizeDoubleOptions["lag"]): VectorStores {
  const byDimension = new Map<number, VectorizeStores>();
  const of = (dimensions: number): VectorizeStores => {
    const known =
      byDimension.get(dimensions) ??
      new VectorizeStores(new VectorizeDouble({ dimensions, lag }), db);
    byDimension.set(dimensions, known);
    return known;
  };
  return {
    open: (collection) => {
      const fixed = of(1).open(collection);
      return {
        upsert: (rows) =>
          of(rows[0]?.vector.length ?? 1)
            .open(collection)
            .upsert(rows),
        query: (vector, query) => of(vector.length).open(collection).query(vector, query),
        delete: (given) => fixed.delete(given),
        info: () => fixed.info(),
        clear: (options) => fixed.clear(options),
      };
    },
  };
}
