import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { orAborted, withTimeLimit } from "../../llm/time-limit.ts";
import { fieldsOf, listOf } from "../../llm/wire.ts";
import type { AiBinding } from "../../llm/workers-ai/ai-binding.ts";
import { toEngineError } from "../../llm/workers-ai/errors.ts";
import type { Embedder } from "../embedder.ts";
import { usualSimilarity } from "./embedding-providers.ts";
import { readVectors } from "./read-vectors.ts";

/** Embedding models of Workers AI, through the `AI` binding. */
export function workersAiEmbedder(options: {
  readonly id: string;
  /** `@cf/…` */
  readonly model: string;
  readonly binding: AiBinding;
  readonly maxBatch: number;
  readonly timeoutMs: number;
  readonly params: JsonObject;
  readonly clock: Clock;
}): Embedder {
  const { id, model, binding, maxBatch, timeoutMs, params, clock } = options;
  return {
    id,
    model: id,
    similarity: usualSimilarity(id),
    maxBatch,
    embed: async (texts, { signal }) => {
      signal.throwIfAborted();
      const answer = await withTimeLimit(
        { modelId: id, signal, timeoutMs, clock },
        async (limited) => {
          try {
            // The binding may ignore the signal, so the wait ends with an abort.
            return await orAborted(limited, binding.run(model, { text: texts, ...params }));
          } catch (error) {
            limited.throwIfAborted();
            throw toEngineError(error, id, clock.now());
          }
        },
      );
      return readVectors(id, listOf(fieldsOf(answer)["data"]), texts.length);
    },
  };
}
