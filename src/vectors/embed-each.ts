// Vectors for any number of texts.
//
//   EE1. Texts are sent in batches of the embedder's size. Inside a run each batch is a step. Its vectors are recorded,
//        and replay makes no calls.
//   EE2. A temporary failure is retried like a failure of a model; inside a run by the step.
//   EE3. A rejected batch is halved until the faulty text is alone. The other texts get their vectors.
//   EE4. All vectors of one call have the same dimension.
import { sleep, type Clock } from "../base/clock.ts";
import { EngineError, toErrorRecord, type ErrorRecord } from "../base/error.ts";
import { fingerprint } from "../base/hash.ts";
import { DEFAULT_RETRY, retryDelayMs, WAITING_RETRY } from "../base/retry.ts";
import { systemClock } from "../base/system.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { Embedder } from "./embedder.ts";
import { fromBase64, toBase64 } from "./packed-text.ts";

/** Result for one text. */
export type Embedded =
  | { readonly vector: Float32Array; readonly error?: undefined }
  | { readonly vector?: undefined; readonly error: EngineError };

export type EmbedEachOptions = {
  readonly purpose?: "document" | "query";
  /** Place in a run. Batches become steps `embed:<n>` below it. */
  readonly place?: RunScope;
  /** Signal outside of a run. Inside, the run's signal applies. */
  readonly signal?: AbortSignal;
  /** Waits between attempts outside of a run. @default the system's */
  readonly clock?: Clock;
};

/** Applies inside a run, so a record of the longest vectors stays below a megabyte. */
const MAX_STEP_BATCH = 100;
/** Maximum total length of the texts in one batch, in UTF-16 units. */
const MAX_BATCH_LENGTH = 400_000;
/** Timeout of one step, in milliseconds. A repeatedly halved batch takes several calls. */
const STEP_TIMEOUT_MS = 300_000;

/** Codes of rejections possibly caused by a single text. */
const OF_ONE_TEXT: ReadonlySet<string> = new Set([
  "model_rejected",
  "context_window_exceeded",
  "invalid_input",
  "payload_too_large",
]);

/**
 * Embeds each text and returns a result for each. Throws errors not caused by a single text: a missing key, a provider
 * without an answer.
 */
export async function embedEach(
  embedder: Embedder,
  texts: readonly string[],
  options: EmbedEachOptions = {},
): Promise<readonly Embedded[]> {
  const { place } = options;
  const most = Math.min(embedder.maxBatch, place === undefined ? Infinity : MAX_STEP_BATCH);
  const results: Embedded[] = [];
  let number = 0;
  for (const batch of batchesOf(texts, most)) {
    const done =
      place === undefined
        ? await outsideRun(embedder, batch, options)
        : await asStep(embedder, batch, { ...options, place: place.at(`embed:${number++}`) });
    results.push(...done);
  }
  checkDimensions(embedder, results);
  return results;
}

/** Embeds all texts with `embedEach`. Throws the first error of a text. */
export async function embedAll(
  embedder: Embedder,
  texts: readonly string[],
  options: EmbedEachOptions = {},
): Promise<readonly Float32Array[]> {
  const results = await embedEach(embedder, texts, options);
  return results.map(({ vector, error }, index) => {
    if (vector !== undefined) return vector;
    throw new EngineError(error.code, `text ${index} cannot be embedded: ${error.message}`, {
      retryable: error.retryable,
      cause: error,
    });
  });
}

function* batchesOf(texts: readonly string[], most: number): Generator<readonly string[]> {
  let batch: string[] = [];
  let length = 0;
  for (const text of texts) {
    if (batch.length > 0 && (batch.length >= most || length + text.length > MAX_BATCH_LENGTH)) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(text);
    length += text.length;
  }
  if (batch.length > 0) yield batch;
}

/** Record of a step: the vectors in one text, and the errors by the position of their text. */
type BatchRecord = {
  readonly vectors: string;
  readonly dimension: number;
  readonly errors?: Readonly<Record<string, ErrorRecord>>;
};

async function asStep(
  embedder: Embedder,
  texts: readonly string[],
  { place, purpose = "document" }: { place: RunScope; purpose?: "document" | "query" },
): Promise<readonly Embedded[]> {
  const record = await place.step<BatchRecord>({
    kind: "model",
    label: embedder.model,
    inputHash: texts.reduce((hash, text) => fingerprint(text, hash), embedder.model),
    timeoutMs: STEP_TIMEOUT_MS,
    retry: WAITING_RETRY,
    run: async ({ signal }) => toRecord(await halving(embedder, texts, { signal, purpose })),
  });
  return fromRecord(record, texts.length);
}

async function outsideRun(
  embedder: Embedder,
  texts: readonly string[],
  { signal = new AbortController().signal, purpose = "document", clock }: EmbedEachOptions,
): Promise<readonly Embedded[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await halving(embedder, texts, { signal, purpose });
    } catch (error) {
      signal.throwIfAborted();
      const delayMs = retryDelayMs(DEFAULT_RETRY, { error, attempt, key: embedder.id });
      if (delayMs === undefined) throw error;
      await sleep(clock ?? systemClock, delayMs, signal);
    }
  }
}

/** Embeds the texts. If one text may have caused a rejection, embeds each half separately. */
async function halving(
  embedder: Embedder,
  texts: readonly string[],
  options: { readonly signal: AbortSignal; readonly purpose: "document" | "query" },
): Promise<readonly Embedded[]> {
  try {
    const vectors = await embedder.embed(texts, options);
    if (vectors.length !== texts.length) {
      throw new EngineError(
        "model_failed",
        `${embedder.id} gave ${vectors.length} vectors for ${texts.length} texts`,
        { retryable: true },
      );
    }
    return vectors.map((vector) => ({ vector }));
  } catch (error) {
    options.signal.throwIfAborted();
    if (!EngineError.is(error) || error.retryable || !OF_ONE_TEXT.has(error.code)) throw error;
    if (texts.length <= 1) return texts.map(() => ({ error }));
    const middle = Math.ceil(texts.length / 2);
    const first = await halving(embedder, texts.slice(0, middle), options);
    return [...first, ...(await halving(embedder, texts.slice(middle), options))];
  }
}

function toRecord(results: readonly Embedded[]): BatchRecord {
  const vectors = results.flatMap(({ vector }) => (vector === undefined ? [] : [vector]));
  const dimension = vectors[0]?.length ?? 0;
  const packed = new Float32Array(vectors.length * dimension);
  for (const [index, vector] of vectors.entries()) packed.set(vector, index * dimension);
  const errors = results.flatMap(({ error }, index) =>
    error === undefined ? [] : [[index, toErrorRecord(error)] as const],
  );
  return {
    vectors: toBase64(packed),
    dimension,
    ...(errors.length === 0 ? undefined : { errors: Object.fromEntries(errors) }),
  };
}

function fromRecord({ vectors, dimension, errors = {} }: BatchRecord, count: number): Embedded[] {
  const packed = fromBase64(vectors) ?? new Float32Array();
  let next = 0;
  return Array.from({ length: count }, (_, index) => {
    const error = errors[index];
    if (error !== undefined) return { error: EngineError.fromRecord(error) };
    const start = next++ * dimension;
    return { vector: packed.slice(start, start + dimension) };
  });
}

function checkDimensions(embedder: Embedder, results: readonly Embedded[]): void {
  let dimension: number | undefined;
  for (const { vector } of results) {
    if (vector === undefined) continue;
    dimension ??= vector.length;
    if (vector.length === dimension) continue;
    throw new EngineError(
      "model_failed",
      `${embedder.id} gave vectors of ${dimension} and of ${vector.length} dimensions`,
    );
  }
}
