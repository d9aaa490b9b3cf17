// Usage and cost of models: AG2's two views, computed from the events of runs.
//
//   USM1. `actual` counts the calls made, `total` also those answered by a cache. A failed call counts in neither.
//   USM2. A call counts for the answering model, and for the calling agent, if an agent made it.
//   USM3. An event with incomplete usage is left out.
import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";

/** Usage in all, and by model. */
export type UsageView = {
  /** In US dollars. */
  readonly totalCost: number;
  readonly models: Readonly<Record<string, ModelUsage>>;
};

/** Usage of one model, with its price in US dollars. */
export type ModelUsage = {
  readonly cost: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
};

/** The cost paid, and the cost without caches. */
export type UsageSummary = { readonly actual: UsageView; readonly total: UsageView };

/** An event, as a run's stream or its log has it. */
type AnyEvent = { readonly type: string; readonly agentRole?: unknown };

/** Returns the usage in the events of runs: in all, and by the names of agents. */
export function usageSummary(
  events: Iterable<AnyEvent>,
): UsageSummary & { readonly agents: Readonly<Record<string, UsageSummary>> } {
  const all = new UsageViews();
  const agents = new Map<string, UsageViews>();
  for (const event of events) {
    all.add(event);
    const { agentRole } = event;
    if (event.type !== "llm_call_completed" || typeof agentRole !== "string") continue;
    const own = agents.get(agentRole) ?? new UsageViews();
    agents.set(agentRole, own);
    own.add(event);
  }
  const byAgent = [...agents].map(([name, views]) => [name, views.summary] as const);
  return { ...all.summary, agents: Object.fromEntries(byAgent) };
}

type Spend = { readonly model: string; readonly usage: Usage; readonly cached?: boolean };

const COUNTS = ["promptTokens", "completionTokens", "totalTokens", "costUsd"] as const;

function spendsOf({ model, usage, spent }: JsonObject): readonly Spend[] {
  const listed = Array.isArray(spent) ? spent : [{ model, usage }];
  return listed.filter(isWhole);
}

function isWhole(spend: unknown): spend is Spend {
  if (!isJsonObject(spend) || typeof spend["model"] !== "string") return false;
  const { usage } = spend;
  return isJsonObject(usage) && COUNTS.every((name) => typeof usage[name] === "number");
}

/** Both views, updated with the events of a run. */
export class UsageViews {
  readonly #actual = new Map<string, ModelUsage>();
  readonly #total = new Map<string, ModelUsage>();

  /** Counts the usage of an event; events of other types have none. */
  add(event: AnyEvent): void {
    if (event.type !== "llm_call_completed" || !isJsonObject(event)) return;
    for (const spend of spendsOf(event)) this.#spend(spend);
  }

  #spend({ model, usage, cached = false }: Spend): void {
    for (const view of cached ? [this.#total] : [this.#actual, this.#total]) {
      const before = view.get(model);
      view.set(model, {
        cost: (before?.cost ?? 0) + usage.costUsd,
        promptTokens: (before?.promptTokens ?? 0) + usage.promptTokens,
        completionTokens: (before?.completionTokens ?? 0) + usage.completionTokens,
        totalTokens: (before?.totalTokens ?? 0) + usage.totalTokens,
      });
    }
  }

  get summary(): UsageSummary {
    return { actual: viewOf(this.#actual), total: viewOf(this.#total) };
  }
}

function viewOf(models: ReadonlyMap<string, ModelUsage>): UsageView {
  const totalCost = [...models.values()].reduce((sum, { cost }) => sum + cost, 0);
  return { totalCost, models: Object.fromEntries(models) };
}
