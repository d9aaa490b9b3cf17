// Vectors of texts. Batches, halving and retries are those of `embedEach`.
//
//   EM1. In a run each batch is a step: no replay asks for its vectors again.
//   EM2. A text that cannot be embedded stops neither the others nor the save: it has no vector, and is found by full text.
import { errorMessage } from "../base/error.ts";
import { embedEach, type EmbedEachOptions } from "../vectors/embed-each.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { MemorySteps } from "./memory-steps.ts";
import { MEMORY_LIMITS } from "./memory-work.ts";

type Embedded = {
  /** In the order of the texts; undefined for what has none. */
  readonly vectors: ReadonlyArray<Float32Array | undefined>;
  /** Why some have none. */
  readonly error?: string;
};

/** One vector per text, recorded below `segment`. Never throws. */
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

/** The same where it stands, inside a step. Throws what is no text's fault. */
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

/** What has a length can be compared. */
function isDirection(vector: Float32Array): boolean {
  return vector.every(Number.isFinite) && vector.some((value) => value !== 0);
}

/** What 32-bit numbers leave open. */
export const ROUNDING = 1e-6;

/** Whether a similarity is at a threshold or above it, as far as 32-bit numbers can tell. */
export function reaches(similarity: number, threshold: number): boolean {
  return similarity >= threshold - ROUNDING;
}

/** The cosine of two vectors, cut off to [0, 1]; 0 where they cannot be compared. */
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
