import type { Usage } from "../../base/usage.ts";
import { usageOfCall, type Price } from "../model-data.ts";
import { countOf, fieldsOf } from "../wire.ts";

/** Usage from `usageMetadata`. Gemini counts thoughts beside the answer; we count them inside of it. */
export function usageFrom(usage: unknown, price: Price | undefined): Usage {
  const fields = fieldsOf(usage);
  const reasoningTokens = countOf(fields["thoughtsTokenCount"]);
  return usageOfCall(
    {
      promptTokens:
        countOf(fields["promptTokenCount"]) + countOf(fields["toolUsePromptTokenCount"]),
      cachedPromptTokens: countOf(fields["cachedContentTokenCount"]),
      cacheCreationTokens: 0,
      completionTokens: countOf(fields["candidatesTokenCount"]) + reasoningTokens,
      reasoningTokens,
    },
    price,
  );
}
