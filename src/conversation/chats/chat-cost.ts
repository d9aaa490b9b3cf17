import { addUsage, NO_USAGE, type Usage } from "../../base/usage.ts";

/** What a conversation consumed: in all, and by agent. */
export type ChatCost = {
  readonly total: Usage;
  readonly byAgent: Readonly<Record<string, Usage>>;
};

/** What each agent consumed since a moment before. */
export function chatCost(
  usage: ReadonlyMap<string, Usage>,
  before: ReadonlyMap<string, Usage> = new Map(),
): ChatCost {
  const byAgent = Object.fromEntries(
    Array.from(usage, ([name, total]) => [name, difference(total, before.get(name) ?? NO_USAGE)]),
  );
  return { total: Object.values(byAgent).reduce(addUsage, NO_USAGE), byAgent };
}

function difference(a: Usage, b: Usage): Usage {
  const names = Object.keys(NO_USAGE) as ReadonlyArray<keyof Usage>;
  return Object.fromEntries(names.map((name) => [name, a[name] - b[name]])) as Usage;
}
