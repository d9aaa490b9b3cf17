import { addUsage, NO_USAGE, type Usage } from "../../base/usage.ts";

/** What the calls of one model consumed. */
export type Ag2ModelUsage = {
  readonly cost: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
};

/** What a run's model calls consumed, by model. */
export type Ag2Usage = {
  readonly total_cost: number;
  readonly models: Readonly<Record<string, Ag2ModelUsage>>;
};

export type Ag2Cost = {
  readonly usage_including_cached_inference: Ag2Usage;
  readonly usage_excluding_cached_inference: Ag2Usage;
};

/** Usage as it adds up. */
export class ModelCosts {
  readonly #byModel = new Map<string, Usage>();

  add(model: string, usage: Usage): void {
    this.#byModel.set(model, addUsage(this.#byModel.get(model) ?? NO_USAGE, usage));
  }

  get usage(): Ag2Usage {
    const models = Array.from(this.#byModel, ([model, usage]) => {
      const { costUsd, promptTokens, completionTokens, totalTokens } = usage;
      const shown: Ag2ModelUsage = {
        cost: costUsd,
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        total_tokens: totalTokens,
      };
      return [model, shown] as const;
    });
    return {
      total_cost: models.reduce((sum, [, { cost }]) => sum + cost, 0),
      models: Object.fromEntries(models),
    };
  }

  /** A result that a run has on record is no call, so every call counts as one that was made. */
  get cost(): Ag2Cost {
    const { usage } = this;
    return { usage_including_cached_inference: usage, usage_excluding_cached_inference: usage };
  }
}
