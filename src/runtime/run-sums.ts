// What a run adds to sums over runs.
import { NO_USAGE } from "../base/usage.ts";
import type { JournalStore } from "../journal/journal-store.ts";
import { isTerminal, type RunRecord } from "./run.ts";

/** What a run has consumed of one model. What its children consumed is theirs. */
export type SpentOnModel = {
  /** As it is named in code; of other steps that pay for models, such as tools, their kind. */
  readonly model: string;
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costUsd: number;
};

/** What a run says of itself, for sums. Present while it waits and once it has ended. */
export type RunSums = {
  readonly spent: readonly SpentOnModel[];
  readonly startedAtMs: number;
  /** Absent while the run waits. */
  readonly finishedAtMs?: number;
};

const PAGE = 500;

/** Undefined while the run has more to say soon. */
export function runSums(record: RunRecord, journal: JournalStore): RunSums | undefined {
  const { status, createdAtMs, startedAtMs, finishedAtMs } = record;
  if (!isTerminal(status) && status !== "waiting") return undefined;
  return {
    spent: spentOf(journal),
    startedAtMs: startedAtMs ?? createdAtMs,
    ...(finishedAtMs === null ? undefined : { finishedAtMs }),
  };
}

function spentOf(journal: JournalStore): readonly SpentOnModel[] {
  const byModel = new Map<string, SpentOnModel>();
  let after = 0;
  for (;;) {
    const steps = journal.list(after, PAGE);
    for (const { kind, label, usage, wait } of steps) {
      if (usage === null || wait !== null) continue; // what is waited for is a child, which says so itself
      const model = kind === "model" ? (label ?? "") : kind;
      const { requests, promptTokens, completionTokens, costUsd } = byModel.get(model) ?? NO_USAGE;
      byModel.set(model, {
        model,
        requests: requests + usage.requests,
        promptTokens: promptTokens + usage.promptTokens,
        completionTokens: completionTokens + usage.completionTokens,
        costUsd: costUsd + usage.costUsd,
      });
    }
    const last = steps.at(-1);
    if (last === undefined || steps.length < PAGE) return [...byModel.values()];
    after = last.startedSeq;
  }
}
