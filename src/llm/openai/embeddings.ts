import { awayFrom, isAway } from "../unreached.ts";
import { APIConnectionError, APIError } from "./sdk.ts";
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

/** Calls of `/embeddings` of OpenAI, and of all that speak its dialect. The answer is as it came. */
export function openaiEmbeddings(
  options: OpenAIEmbeddingsOptions,
): (body: JsonObject, signal: AbortSignal) => Promise<unknown> {
  const client = openaiClient(options);
  const { id: modelId, clock } = options;
  return (body, outer) =>
    withTimeLimit({ modelId, clock, signal: outer, timeoutMs: LONGEST_MS }, async (signal) => {
      try {
        return await client.json("/embeddings", { body, signal });
      } catch (error) {
        signal.throwIfAborted();
        const failure = toEngineError(error, { modelId, nowMs: clock.now() });
        const isUnreached = error instanceof APIConnectionError && failure.code === "model_failed";
        const status = error instanceof APIError ? error.status : undefined;
        throw isUnreached || isAway(status as number | undefined) ? awayFrom(failure) : failure;
      }
    });
}
