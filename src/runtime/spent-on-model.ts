/** Usage of one model by a run, without its children. */
export type SpentOnModel = {
  /** Name of the model in code; for other steps with paid model usage, such as tools, their kind. */
  readonly model: string;
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costUsd: number;
};

/** Data of a run for sums. Present while it waits and once it has ended. */
export type RunSums = {
  readonly spent: readonly SpentOnModel[];
  readonly startedAtMs: number;
  /** Absent while the run waits. */
  readonly finishedAtMs?: number;
};
