/** What model calls consumed: tokens, calls that succeeded, and their price in US dollars. */
export type Usage = {
  readonly promptTokens: number;
  /** The part of `promptTokens` that a provider's prompt cache served. */
  readonly cachedPromptTokens: number;
  /** The part of `promptTokens` that was written to a prompt cache. */
  readonly cacheCreationTokens: number;
  readonly completionTokens: number;
  /** The part of `completionTokens` that the model spent on reasoning. */
  readonly reasoningTokens: number;
  readonly totalTokens: number;
  readonly requests: number;
  /** 0 when the model's price is not known. */
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

/** Adds up what was consumed on behalf of several, by name. */
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
