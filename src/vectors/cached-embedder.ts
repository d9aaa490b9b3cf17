import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { sha256Hex } from "../base/sha256.ts";
import type { EmbedOptions, Embedder } from "./embedder.ts";

/** Cache of vectors by key. A key identifies model, purpose and text. */
export interface EmbeddingCache {
  /** Returns the vector of each key, or undefined. */
  get(keys: readonly string[]): Promise<ReadonlyArray<Float32Array | undefined>>;
  put(
    entries: ReadonlyArray<{ readonly key: string; readonly vector: Float32Array }>,
  ): Promise<void>;
}

export type CachedEmbedderOptions = {
  /** Number of vectors in this process, the most recently used ones. @default 1000 */
  readonly maxEntries?: number;
  /** Store for vectors missing from this process. If it fails, the vectors are computed. @default none */
  readonly store?: EmbeddingCache;
};

const OPTIONS = definitionOptions<CachedEmbedderOptions>("cachedEmbedder()", {
  maxEntries: true,
  store: true,
});

/** Wraps an embedder so each text is embedded once, as long as its vector stays in the cache. */
export function cachedEmbedder(inner: Embedder, settings: CachedEmbedderOptions = {}): Embedder {
  refuseUnknownOptions(settings, OPTIONS);
  const { maxEntries = 1000, store } = settings;
  const kept = new Map<string, Float32Array>();
  const keep = (key: string, vector: Float32Array): void => {
    kept.delete(key);
    kept.set(key, vector);
    if (kept.size <= maxEntries) return;
    for (const oldest of kept.keys()) return void kept.delete(oldest);
  };
  const { id, model, dimension, maxBatch, similarity } = inner;
  return {
    id,
    model,
    maxBatch,
    ...(dimension === undefined ? undefined : { dimension }),
    ...(similarity === undefined ? undefined : { similarity }),
    ...(inner.compare === undefined
      ? undefined
      : { compare: (question, texts) => inner.compare?.(question, texts) ?? [] }),
    embed: async (texts, options) => {
      options.signal.throwIfAborted();
      const keys = texts.map((text) => keyOf(model, text, options));
      const found = new Map<string, Float32Array>();
      for (const key of keys) {
        const vector = kept.get(key);
        if (vector) found.set(key, vector);
      }
      const absent = [...new Set(keys)].filter((key) => !found.has(key));
      if (store && absent.length > 0) {
        const stored = await store.get(absent).catch(() => []);
        for (const [index, key] of absent.entries()) {
          const vector = stored[index];
          if (vector) found.set(key, vector);
        }
      }
      const missing = absent.filter((key) => !found.has(key));
      if (missing.length > 0) {
        const textOf = new Map(keys.map((key, index) => [key, texts[index] ?? ""]));
        const asked = missing.map((key) => textOf.get(key) ?? "");
        const made = await inner.embed(asked, options);
        const entries = made.map((vector, index) => ({ key: missing[index] ?? "", vector }));
        for (const { key, vector } of entries) found.set(key, vector);
        await store?.put(entries).catch(() => undefined);
      }
      return keys.map((key) => {
        const vector = found.get(key) ?? new Float32Array();
        keep(key, vector);
        // A copy, so the caller cannot change the cached vector.
        return vector.slice();
      });
    },
  };
}

function keyOf(model: string, text: string, { purpose = "document" }: EmbedOptions): string {
  return sha256Hex(JSON.stringify([model, purpose, text]));
}
