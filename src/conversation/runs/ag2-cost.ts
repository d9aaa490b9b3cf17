import type { UsageSummary, UsageView } from "../../model-calls/usage-summary.ts";

/** Usage of one model's calls. */
export type Ag2ModelUsage = {
  readonly cost: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
};

/** Usage of a run's model calls, by model. */
export type Ag2Usage = {
  readonly total_cost: number;
  readonly models: Readonly<Record<string, Ag2ModelUsage>>;
};

export type Ag2Cost = {
  readonly usage_including_cached_inference: Ag2Usage;
  readonly usage_excluding_cached_inference: Ag2Usage;
};

/** Returns both views of a run's usage in AG2's form. */
export function ag2Cost({ actual, total }: UsageSummary): Ag2Cost {
  return {
    usage_including_cached_inference: ag2Usage(total),
    usage_excluding_cached_inference: ag2Usage(actual),
  };
}

function ag2Usage({ totalCost, models }: UsageView): Ag2Usage {
  const shown = Object.entries(models).map(([model, usage]) => {
    const { cost, promptTokens, completionTokens, totalTokens } = usage;
    const own: Ag2ModelUsage = {
      cost,
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: totalTokens,
    };
    return [model, own] as const;
  });
  return { total_cost: totalCost, models: Object.fromEntries(shown) };
}
