/** Usage of model calls: tokens, successful calls, and their price in US dollars. */
export type Usage = {
  readonly promptTokens: number;
  /** Tokens of `promptTokens` served by a provider's prompt cache. */
  readonly cachedPromptTokens: number;
  /** Tokens of `promptTokens` written to a prompt cache. */
  readonly cacheCreationTokens: number;
  readonly completionTokens: number;
  /** Tokens of `completionTokens` spent on reasoning. */
  readonly reasoningTokens: number;
  readonly totalTokens: number;
  readonly requests: number;
  /** 0 if the model's price is unknown. */
  readonly costUsd: number;
};

export const NO_USAGE: Usage = {
  promptTokens: 0,
  cachedPromptTokens: 0,
  cacheCreationTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  totalTokens: 0,
  requests: 0,
  costUsd: 0,
};

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    cachedPromptTokens: a.cachedPromptTokens + b.cachedPromptTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    requests: a.requests + b.requests,
    costUsd: a.costUsd + b.costUsd,
  };
}

/** Adds up the usage of several owners, by name. */
export function addUsageByName(
  usages: ReadonlyArray<Readonly<Record<string, Usage>>>,
): Readonly<Record<string, Usage>> {
  const consumed = usages.filter((usage) => Object.keys(usage).length > 0);
  if (consumed.length < 2) return consumed[0] ?? {};
  const sums = new Map<string, Usage>();
  for (const usage of consumed)
    for (const [name, each] of Object.entries(usage))
      sums.set(name, addUsage(sums.get(name) ?? NO_USAGE, each));
  return Object.fromEntries(sums);
}
