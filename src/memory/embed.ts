// Vectors of texts. `embedEach` makes the batches, halves them and retries.
//
//   EM1. In a run each batch is a step, so a replay does not embed it again.
//   EM2. A text that fails to embed does not stop the other texts or the save. It has no vector, and recalls find it by
//        full text.
import { errorMessage } from "../base/error.ts";
import { embedEach, type EmbedEachOptions } from "../vectors/embed-each.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { MemorySteps } from "./memory-steps.ts";
import { MEMORY_LIMITS } from "./memory-work.ts";

type Embedded = {
  /** Vectors in the order of the texts; undefined for texts without one. */
  readonly vectors: ReadonlyArray<Float32Array | undefined>;
  /** Reason for missing vectors. */
  readonly error?: string;
};

/** Makes one vector for each text, recorded below `segment`. Never throws. */
export async function embedTexts(
  { scope }: MemorySteps,
  embedder: Embedder,
  { texts, segment }: { readonly texts: readonly string[]; readonly segment: string },
): Promise<Embedded> {
  try {
    return await embedNow(embedder, texts, scope === undefined ? {} : { place: scope.at(segment) });
  } catch (error) {
    return { vectors: texts.map(() => undefined), error: errorMessage(error) };
  }
}

/** Makes one vector for each text in the current step. Throws errors not caused by a single text. */
export async function embedNow(
  embedder: Embedder,
  texts: readonly string[],
  options: EmbedEachOptions,
): Promise<Embedded> {
  const cut = texts.map((text) => text.slice(0, MEMORY_LIMITS.maxEmbeddedLength).toWellFormed());
  const results = await embedEach(embedder, cut, options);
  const error = results.find((result) => result.error !== undefined)?.error;
  const vectors = results.map(({ vector }) => (vector && isDirection(vector) ? vector : undefined));
  if (error !== undefined) return { vectors, error: error.message };
  return vectors.includes(undefined)
    ? { vectors, error: `${embedder.id} gave a vector without a direction` }
    : { vectors };
}

/** True if the vector has a length, so it can be compared. */
function isDirection(vector: Float32Array): boolean {
  return vector.every(Number.isFinite) && vector.some((value) => value !== 0);
}

/** Rounding error of 32-bit numbers. */
export const ROUNDING = 1e-6;

/** True if a similarity is at or above a threshold, within the precision of 32-bit numbers. */
export function reaches(similarity: number, threshold: number): boolean {
  return similarity >= threshold - ROUNDING;
}

/** Cosine of two vectors, clamped to [0, 1]. Returns 0 if they cannot be compared. */
export function similarityOf(
  one: Float32Array | undefined,
  other: Float32Array | undefined,
): number {
  if (one === undefined || other === undefined || one.length !== other.length) return 0;
  let [product, a, b] = [0, 0, 0];
  for (let index = 0; index < one.length; index++) {
    const [x, y] = [one[index] ?? 0, other[index] ?? 0];
    product += x * y;
    a += x * x;
    b += y * y;
  }
  return a === 0 || b === 0 ? 0 : Math.min(1, Math.max(0, product / Math.sqrt(a * b)));
}
