// A run's contribution to sums over runs.
import { NO_USAGE } from "../base/usage.ts";
import type { JournalStore, StepSummary } from "../journal/journal-store.ts";
import { isAdopted } from "./adopted-rows.ts";
import { isTerminal, type RunRecord } from "./run.ts";
import type { SpentOnModel, RunSums } from "./spent-on-model.ts";

/** An ended run. */
export type EndedRun = Pick<RunRecord, "tenant" | "id" | "kind" | "name" | "status"> & {
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number;
  /** Why it failed. */
  readonly errorCode?: string;
  /** Version of the Worker's code, if known. */
  readonly codeVersion?: string;
  /** Steps that it did itself, in the order of their start. */
  readonly steps: () => Iterable<StepSummary>;
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

/** The steps of a run, in the order of their start, page by page. */
export function* allSteps(journal: JournalStore): Generator<StepSummary> {
  for (let after = 0; ;) {
    const steps = journal.list(after, PAGE);
    yield* steps;
    const last = steps.at(-1);
    if (last === undefined || steps.length < PAGE) return;
    after = last.startedSeq;
  }
}

/** The same without steps whose results a fork copied up to this place: another run did them. */
export function* ownSteps(journal: JournalStore, copiedUpTo: number): Generator<StepSummary> {
  for (const step of allSteps(journal)) if (!isAdopted(step, copiedUpTo)) yield step;
}

function spentOf(journal: JournalStore): readonly SpentOnModel[] {
  const byModel = new Map<string, SpentOnModel>();
  for (const { kind, label, usage, wait } of allSteps(journal)) {
    if (usage === null || wait !== null) continue; // a wait with usage is for a child, which reports its own
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
  return [...byModel.values()];
}
