// Usage of the models in a part of a run.
import { addUsage, type Usage } from "../../base/usage.ts";
import type { AgUiEvent } from "./wire.ts";

export class RunUsage {
  readonly #usage = new Map<string, Usage>();

  clear(): void {
    this.#usage.clear();
  }

  add(model: string, usage: Usage): void {
    const before = this.#usage.get(model);
    this.#usage.set(model, before === undefined ? usage : addUsage(before, usage));
  }

  /** Usage as a member of the last event. */
  get member(): Pick<Extract<AgUiEvent, { type: "RUN_FINISHED" }>, "usage"> {
    if (this.#usage.size === 0) return {};
    const usage = [...this.#usage].map(([id, used]) => {
      const slash = id.indexOf("/");
      return {
        ...(slash > 0 ? { provider: id.slice(0, slash) } : undefined),
        model: id.slice(slash + 1),
        inputTokens: used.promptTokens,
        outputTokens: used.completionTokens,
        totalTokens: used.totalTokens,
        ...(used.reasoningTokens > 0 ? { reasoningTokens: used.reasoningTokens } : undefined),
        ...(used.cachedPromptTokens > 0
          ? { cachedInputTokens: used.cachedPromptTokens }
          : undefined),
        ...(used.cacheCreationTokens > 0
          ? { cacheWriteInputTokens: used.cacheCreationTokens }
          : undefined),
      };
    });
    return { usage };
  }
}
