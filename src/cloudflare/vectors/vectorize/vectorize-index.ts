// Writes to a Vectorize index, its queries and its indexing progress.
import type { Clock } from "../../../base/clock.ts";
import { EngineError, errorMessage } from "../../../base/error.ts";
import { unitVector } from "../../../vectors/check-vectors.ts";
import type { VectorizeBinding } from "./vectorize-binding.ts";
import { toVectorizeMetadata, type VectorizeFilter } from "./vectorize-filter.ts";
import type { KeyedRow, VectorizeRows } from "./vectorize-rows.ts";

/** Maximum matches of one query: with values, which make scores exact, and without. */
export const TOP_WITH_VALUES = 20;
export const TOP = 100;
/** Maximum number of ids in one deletion. Larger requests fail as a whole (error 40007). */
const DELETE_BATCH = 100;
/** Time in milliseconds after which an unconfirmed write is sent again and discarded vectors are deleted. */
const SETTLED_MS = 60_000;

export class VectorizeIndex {
  readonly #binding: VectorizeBinding;
  readonly #rows: VectorizeRows;
  readonly #clock: Clock;
  #dimensions: number | undefined;

  constructor(binding: VectorizeBinding, rows: VectorizeRows, clock: Clock) {
    this.#binding = binding;
    this.#rows = rows;
    this.#clock = clock;
  }

  /** Fails with `invalid_definition` if the dimension differs from the index's, which is fixed at its creation. */
  async checkDimension(dimension: number): Promise<void> {
    // While Vectorize is unavailable the check is skipped, and the rows wait in D1.
    this.#dimensions ??= (await this.#binding.describe().catch(() => undefined))?.dimensions;
    if (this.#dimensions === undefined || this.#dimensions === dimension) return;
    throw new EngineError(
      "invalid_definition",
      `the Vectorize index has ${this.#dimensions} dimensions, and the embedder makes ${dimension}: set its dimensions to ` +
        `${this.#dimensions}, or create an index with --dimensions=${dimension} --metric=cosine`,
    );
  }

  /** Sends rows and records the mutation that adds them to the index. */
  async send(rows: readonly KeyedRow[]): Promise<void> {
    const begun = await this.#rows.tick();
    const vectors = await Promise.all(
      rows.map(async ({ key, vector, namespace, metadata = {} }) => ({
        id: key,
        values: unitVector(vector),
        namespace,
        metadata: await toVectorizeMetadata(metadata),
      })),
    );
    const { mutationId } = await this.#binding.upsert(vectors);
    await this.#rows.recordMutation(mutationId, begun);
    await this.#rows.confirm(
      mutationId,
      rows.map(({ key }) => key),
    );
  }

  /** Returns the scores of Vectorize's candidates by key, exact if it returns the values. */
  async query(
    unit: Float32Array,
    options: { topK: number; namespace: string; filter: VectorizeFilter | undefined },
  ): Promise<ReadonlyMap<string, number>> {
    const { topK, namespace, filter } = options;
    const returnValues = topK <= TOP_WITH_VALUES;
    try {
      const { matches } = await this.#binding.query(unit, {
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

  /** Removes vectors from D1 after Vectorize has indexed them (Z3). */
  async settle(): Promise<void> {
    const { processedUpToMutation: last, processedUpToDatetime: until } =
      await this.#binding.describe();
    const untilMs = new Date(until ?? 0).getTime();
    // Compares the last mutation, or the time with a minute's tolerance for different clocks.
    const before = Number.isFinite(untilMs) ? untilMs - SETTLED_MS : 0;
    await this.#rows.settle(String(last ?? ""), before);
  }

  /** Sends unconfirmed rows again and deletes discarded vectors: a page of each. */
  async sweep(): Promise<void> {
    const before = this.#clock.now() - SETTLED_MS;
    const unconfirmed = await this.#rows.unconfirmed(before);
    if (unconfirmed.length > 0) await this.send(unconfirmed);
    const keys = await this.#rows.garbage(before);
    for (let start = 0; start < keys.length; start += DELETE_BATCH) {
      await this.#delete(keys.slice(start, start + DELETE_BATCH));
    }
  }

  async #delete(keys: readonly string[]): Promise<void> {
    const begun = await this.#rows.tick();
    const { mutationId } = await this.#binding.deleteByIds(keys);
    await this.#rows.recordMutation(mutationId, begun);
    await this.#rows.forgetGarbage(keys);
  }
}

/** Score of two vectors of length 1. */
export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}
