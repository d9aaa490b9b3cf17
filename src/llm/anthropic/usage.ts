import type { Usage } from "../../base/usage.ts";
import { usageOfCall, type Price } from "../model-data.ts";
import { countOf, fieldsOf } from "../wire.ts";

/** Usage from a `usage` object. Anthropic counts cached input beside `input_tokens`; we count it inside the prompt. */
export function usageFrom(usage: unknown, price: Price | undefined): Usage {
  const fields = fieldsOf(usage);
  const cachedPromptTokens = countOf(fields["cache_read_input_tokens"]);
  const cacheCreationTokens = countOf(fields["cache_creation_input_tokens"]);
  return usageOfCall(
    {
      promptTokens: countOf(fields["input_tokens"]) + cachedPromptTokens + cacheCreationTokens,
      cachedPromptTokens,
      cacheCreationTokens,
      completionTokens: countOf(fields["output_tokens"]),
      reasoningTokens: countOf(fieldsOf(fields["output_tokens_details"])["thinking_tokens"]),
    },
    price,
  );
}
