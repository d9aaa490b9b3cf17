// Vectors of texts, as steps.
//
//   EM1. A step embeds one batch: at most what the embedder takes at once, and at most 100 texts, so that a row of the journal stays small.
//   EM2. A text that cannot be embedded stops neither the others nor the save: it has no vector, and is found by full text.
import { EngineError, errorMessage } from "../base/error.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { MemorySteps } from "./memory-steps.ts";
import { MEMORY_LIMITS } from "./memory-work.ts";

const MAX_BATCH = 100;

/** Calls that a failed batch may cost to find the text that it failed for. */
const MAX_SEARCH_CALLS = 16;

export type Embedded = {
  /** In the order of the texts; undefined for what has none. */
  readonly vectors: ReadonlyArray<Float32Array | undefined>;
  /** Why some have none. */
  readonly error?: string;
};

type Batch = { readonly coded: readonly (string | null)[]; readonly error?: string };

/** One vector per text, recorded at `<segment>:<batch>`. */
export async function embedTexts(
  steps: MemorySteps,
  embedder: Embedder,
  { texts, segment }: { readonly texts: readonly string[]; readonly segment: string },
): Promise<Embedded> {
  const size = Math.min(MAX_BATCH, Math.max(1, embedder.maxBatch));
  const batches: Batch[] = [];
  for (let start = 0; start < texts.length; start += size) {
    const part = texts.slice(start, start + size);
    // oxlint-disable-next-line no-await-in-loop -- one call at a time: providers bound them
    batches.push(await embedBatch(steps, embedder, { part, at: `${segment}:${batches.length}` }));
  }
  const error = batches.find((batch) => batch.error !== undefined)?.error;
  const vectors = batches.flatMap(({ coded }) =>
    coded.map((code) => (code === null ? undefined : decodeVector(code))),
  );
  return error === undefined ? { vectors } : { vectors, error };
}

async function embedBatch(
  steps: MemorySteps,
  embedder: Embedder,
  { part, at }: { readonly part: readonly string[]; readonly at: string },
): Promise<Batch> {
  try {
    return await steps.step<Batch>(at, async ({ signal }) => {
      const { vectors, error } = await embedNow(embedder, part, signal);
      const coded = vectors.map((vector) => (vector === undefined ? null : encodeVector(vector)));
      return error === undefined ? { coded } : { coded, error };
    });
  } catch (error) {
    return { coded: part.map(() => null), error: errorMessage(error) };
  }
}

/** The vectors of one batch, inside a step. Throws what may succeed when it is tried again. */
export async function embedNow(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Embedded> {
  const cut = texts.map((text) => text.slice(0, MEMORY_LIMITS.maxEmbeddedLength).toWellFormed());
  const vectors = Array.from<Float32Array | undefined>({ length: texts.length });
  let calls = 0;
  let failure: unknown;
  const embed = async (start: number, end: number): Promise<void> => {
    signal.throwIfAborted();
    try {
      if (failure !== undefined && ++calls > MAX_SEARCH_CALLS) return;
      const made = await embedder.embed(cut.slice(start, end), { signal, purpose: "document" });
      checkMade(embedder, made, end - start);
      for (const [index, vector] of made.entries())
        if (vector.some((value) => value !== 0)) vectors[start + index] = vector;
    } catch (error) {
      if (mayPass(error) || (isHopeless(error) && failure === undefined)) throw error;
      failure ??= error;
      if (end - start === 1) return;
      const middle = start + Math.ceil((end - start) / 2);
      await embed(start, middle);
      await embed(middle, end);
    }
  };
  if (texts.length > 0) await embed(0, texts.length);
  return failure === undefined ? { vectors } : { vectors, error: errorMessage(failure) };
}

/** Whether the same call may succeed later: the step tries again. */
function mayPass(error: unknown): boolean {
  return EngineError.is(error) && error.retryable;
}

/** Failures that have nothing to do with a text. */
function isHopeless(error: unknown): boolean {
  return (
    EngineError.is(error) && ["model_unauthorized", "unavailable", "timeout"].includes(error.code)
  );
}

function checkMade(embedder: Embedder, made: readonly Float32Array[], count: number): void {
  const dimension = made[0]?.length;
  const fits =
    made.length === count &&
    made.every(
      (vector) => vector.length === dimension && vector.length > 0 && vector.every(Number.isFinite),
    );
  if (fits) return;
  throw new EngineError(
    "model_failed",
    `${embedder.id} must give one vector per text, all of one dimension: got ${made.length} for ${count} texts`,
  );
}

/** A vector as base64 of its 32-bit numbers: a third of what it takes in digits. */
export function encodeVector(vector: Float32Array): string {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  let text = "";
  for (let start = 0; start < bytes.length; start += 8192)
    text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return btoa(text);
}

export function decodeVector(code: string): Float32Array {
  const text = atob(code);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return new Float32Array(bytes.buffer);
}

/** What 32-bit numbers leave open: a similarity that is meant to be a threshold passes it. */
export const ROUNDING = 1e-6;

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
