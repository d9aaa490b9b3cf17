// Cached answers of models for repeated requests.
//
//   MCH1. The key is a fingerprint (SHA-256 of canonical JSON) of the seed, the model, its settings and the request,
//         without keys, addresses and headers: a request through another key or address finds the same answer.
//   MCH2. An answer from the cache has consumed no tokens; `spent` has the usage of the original call. Listeners
//         receive it in one piece.
//   MCH3. A failing cache, or one with another value than an answer, counts as a miss. Empty answers are not stored.
import * as z from "zod";
import { digestText } from "../base/bytes.ts";
import { canonicalJson, type JsonObject, type JsonValue } from "../base/json.ts";
import { NO_USAGE } from "../base/usage.ts";
import type { CallOptions, LanguageModel, ModelRequest, ModelResponse } from "./language-model.ts";
import type { ModelCache } from "./model-cache.ts";

export type CacheSettings = {
  readonly seed: number;
  readonly ttlSeconds: number;
  /** Parts of the cache key beside the request. */
  readonly settings: JsonObject;
  /** Cache of the settings, which takes precedence over the call's. */
  readonly own: ModelCache | undefined;
  /** Cache for calls without their own. */
  readonly otherwise: ModelCache | undefined;
};

const count = z.number().min(0);
const response = z.looseObject({
  text: z.string(),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
  finishReason: z.enum(["stop", "tool_calls", "length", "content_filter", "no_answer", "other"]),
  usage: z.object({
    promptTokens: count,
    cachedPromptTokens: count,
    cacheCreationTokens: count,
    completionTokens: count,
    reasoningTokens: count,
    totalTokens: count,
    requests: count,
    costUsd: count,
  }),
});

/** Returns the answer from the cache, or the model's answer, which is then stored. */
export async function cachedAnswer(
  model: LanguageModel,
  cacheSettings: CacheSettings,
  { request, options }: { readonly request: ModelRequest; readonly options: CallOptions },
): Promise<ModelResponse> {
  const { own, otherwise, ttlSeconds } = cacheSettings;
  const cache = own ?? options.cache ?? otherwise;
  if (cache === undefined) return model.generate(request, options);
  const key = await keyOf(model.id, cacheSettings, request);
  const found = response.safeParse(await cache.get(key).catch(() => undefined));
  if (found.success) return replayed(model.id, found.data, options);
  const answer = await model.generate(request, options);
  if (answer.text.trim() !== "" || answer.toolCalls.length > 0)
    await cache.set(key, answer as JsonValue, ttlSeconds).catch(() => undefined);
  return answer;
}

async function keyOf(
  model: string,
  { seed, settings }: CacheSettings,
  request: ModelRequest,
): Promise<string> {
  const asked = JSON.parse(JSON.stringify({ seed, model, settings, request })) as JsonValue;
  return digestText(canonicalJson(asked));
}

function replayed(model: string, found: ModelResponse, options: CallOptions): ModelResponse {
  if (found.text !== "") options.onDelta?.(found.text);
  for (const [index, call] of found.toolCalls.entries()) options.onToolDelta?.({ index, ...call });
  return {
    ...found,
    usage: NO_USAGE,
    model,
    spent: [{ model, usage: found.usage, cached: true }],
  };
}
