import type { Usage } from "../../base/usage.ts";
import { usageOfCall, type Price } from "../model-data.ts";
import { countOf, fieldsOf, type Fields } from "../wire.ts";

/**
 * Reads usage from a `usage` object in any known form: chat completions, Responses, or a gateway's version of others.
 * Zero tokens if a provider sent none: the call still counts.
 */
export function usageFrom(usage: unknown, price: Price | undefined): Usage {
  const fields = fieldsOf(usage);
  const prompt = fieldsOf(fields["prompt_tokens_details"] ?? fields["input_tokens_details"]);
  const completion = fieldsOf(
    fields["completion_tokens_details"] ?? fields["output_tokens_details"],
  );
  return usageOfCall(
    {
      promptTokens: firstCount(fields, ["prompt_tokens", "prompt_token_count", "input_tokens"]),
      // DeepSeek counts its cache hits beside the details.
      cachedPromptTokens:
        countOf(prompt["cached_tokens"]) ||
        firstCount(fields, [
          "cached_tokens",
          "cached_prompt_tokens",
          "cache_read_input_tokens",
          "prompt_cache_hit_tokens",
        ]),
      cacheCreationTokens:
        countOf(prompt["cache_write_tokens"]) ||
        firstCount(fields, ["cache_creation_tokens", "cache_creation_input_tokens"]),
      completionTokens: firstCount(fields, [
        "completion_tokens",
        "candidates_token_count",
        "output_tokens",
      ]),
      reasoningTokens: countOf(completion["reasoning_tokens"]),
    },
    price,
  );
}

function firstCount(fields: Fields, names: readonly string[]): number {
  return names.reduce((found, name) => found || countOf(fields[name]), 0);
}
