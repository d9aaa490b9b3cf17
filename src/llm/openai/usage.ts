import type { Usage } from "../../base/usage.ts";
import { usageOfCall, type Price } from "../model-data.ts";
import { countOf, fieldsOf } from "../wire.ts";

/** Usage from a `usage` object. Zero tokens when a provider sent none: the call still counts. */
export function usageFrom(usage: unknown, price: Price | undefined): Usage {
  const fields = fieldsOf(usage);
  const prompt = fieldsOf(fields["prompt_tokens_details"]);
  const completion = fieldsOf(fields["completion_tokens_details"]);
  return usageOfCall(
    {
      promptTokens: countOf(fields["prompt_tokens"]),
      // DeepSeek counts its cache hits beside the details.
      cachedPromptTokens:
        countOf(prompt["cached_tokens"]) || countOf(fields["prompt_cache_hit_tokens"]),
      cacheCreationTokens:
        countOf(prompt["cache_write_tokens"]) || countOf(fields["cache_creation_input_tokens"]),
      completionTokens: countOf(fields["completion_tokens"]),
      reasoningTokens: countOf(completion["reasoning_tokens"]),
    },
    price,
  );
}
