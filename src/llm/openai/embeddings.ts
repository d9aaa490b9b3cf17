import type { JsonObject } from "../../base/json.ts";
import type { Clock } from "../../base/clock.ts";
import type { Connection } from "../connection.ts";
import { LONGEST_MS, withTimeLimit } from "../time-limit.ts";
import { openaiClient } from "./client.ts";
import { toEngineError } from "./errors.ts";

export type OpenAIEmbeddingsOptions = {
  readonly id: string;
  readonly connection: Connection;
  readonly fetch: typeof fetch | undefined;
  readonly clock: Clock;
};

/** One request for vectors. */
export type EmbeddingCall = {
  readonly body: JsonObject;
  readonly signal: AbortSignal;
  /** Bound of the answer. */
  readonly maxBytes: number;
};

/** Calls `/embeddings` of OpenAI and of all servers with its dialect. The answer is unchanged. */
export function openaiEmbeddings(
  options: OpenAIEmbeddingsOptions,
): (call: EmbeddingCall) => Promise<unknown> {
  const client = openaiClient(options);
  const { id: modelId, clock } = options;
  return ({ body, signal: outer, maxBytes }) =>
    withTimeLimit({ modelId, clock, signal: outer, timeoutMs: LONGEST_MS }, async (signal) => {
      try {
        return await client.json("/embeddings", { body, signal, maxBytes });
      } catch (error) {
        signal.throwIfAborted();
        throw toEngineError(error, { modelId, nowMs: clock.now() });
      }
    });
}
