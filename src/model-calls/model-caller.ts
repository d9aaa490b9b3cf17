import type { FileTexts } from "../files/file-texts.ts";
import type { ActiveHooks } from "../hooks/dispatch.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** The caller of a model, with its settings and limits. */
export type ModelCaller = {
  readonly model: LanguageModel;
  readonly budget: Budget;
  readonly limiter?: RateLimiter | undefined;
  /** Sums up the usage of the calls. */
  readonly meter: UsageMeter;
  /**
   * Deadline for calls: later ones are not made, and a running one is aborted with `timeout`. Milliseconds since the
   * epoch.
   */
  readonly deadlineAtMs?: number | undefined;
  /** @default the deployment's */
  readonly hooks?: ActiveHooks | undefined;
  /** Name of the caller in events. */
  readonly identity?: { readonly role: string } | undefined;
  /** Texts for files not shown to the model. @default the usual texts */
  readonly fileTexts?: FileTexts | undefined;
  /**
   * Decision of the call, such as "score answers"; with a model that cannot decide, the call fails (see judgement.ts).
   */
  readonly decides?: string | undefined;
};

/** Budget for the model calls of a run. Checked before each call. */
export type Budget = {
  /** Limit in US dollars; counts models with a known price. @default no limit */
  readonly maxCostUsd?: number | undefined;
  /** Limit in tokens, prompt and completion together. @default no limit */
  readonly maxTokens?: number | undefined;
};
