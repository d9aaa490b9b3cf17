// Rows of a fork copied from another run.
import type { StepSummary } from "../journal/journal-store.ts";

type StoredValues = { value(name: string): string | undefined };

/**
 * Returns the last place of a fork's record copied from another run, in its order of starts and ends; 0 for a run that
 * is not a fork.
 */
export function adoptedSeq(store: StoredValues): number {
  return Number(store.value("adoptedSeq") ?? 0);
}

/** True for a step with a result copied from another run: its times and its usage belong to that run. */
export function isAdopted({ endedSeq }: Pick<StepSummary, "endedSeq">, upToSeq: number): boolean {
  return endedSeq !== null && endedSeq <= upToSeq;
}
