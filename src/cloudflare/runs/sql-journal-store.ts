import { addUsage, NO_USAGE, type Usage } from "../../base/usage.ts";
import { childrenIn, pageOfRows, usageBy } from "../../journal/in-memory-rows.ts";
import type {
  JournalStore,
  StepQuery,
  StepRecord,
  StepSummary,
  UsageOf,
} from "../../journal/journal-store.ts";
import type { CommitLog } from "./commit-log.ts";
import { keptStep } from "./kept-steps.ts";
import type { RunState } from "./run-state.ts";

/** Access of a run's stores to its state. */
export type StateAccess = {
  readonly log: CommitLog;
  readonly read: () => RunState;
  readonly write: (change: (state: RunState) => void) => void;
  readonly commit: () => void;
};

/** Journal rows of a run in its object's storage. */
export class SqlJournalStore implements JournalStore {
  readonly #access: StateAccess;

  constructor(access: StateAccess) {
    this.#access = access;
  }

  get(key: string): StepRecord | undefined {
    const { log, read } = this.#access;
    const step = read().steps.get(key);
    if (step === undefined) return undefined;
    const { bytes: _, ...summary } = step.summary;
    return {
      ...summary,
      value: step.value && log.read(step.value),
      request: step.request && log.read(step.request),
    };
  }

  put(record: StepRecord): void {
    this.#access.write((state) => state.setStep(keptStep(record, state.steps.get(record.key))));
  }

  commit(): void {
    this.#access.commit();
  }

  list(afterSeq: number, limit: number): readonly StepSummary[] {
    const state = this.#access.read();
    const from = state.placeAfter(afterSeq);
    return summariesOf(state, state.order.slice(from, from + limit));
  }

  waits(): readonly StepSummary[] {
    const state = this.#access.read();
    return summariesOf(state, state.waiting).toSorted((a, b) => a.startedSeq - b.startedSeq);
  }

  count(): number {
    return this.#access.read().order.length;
  }

  lastSeq(): number {
    return this.#access.read().lastSeq;
  }

  usage(): Usage {
    let sum: Usage = NO_USAGE;
    for (const { summary } of this.#access.read().steps.values())
      if (summary.usage !== null) sum = addUsage(sum, summary.usage);
    return sum;
  }

  usageBy(): readonly UsageOf[] {
    return usageBy(this.#all());
  }

  page(query: StepQuery): readonly StepSummary[] {
    return pageOfRows(new Map(this.#all().map((row) => [row.key, row])), query);
  }

  piece(key: string, from: number, length: number): string | null {
    const { log, read } = this.#access;
    const value = read().steps.get(key)?.value ?? null;
    return value && log.readPart(value, from, length);
  }

  children(): { readonly total: number; readonly open: number } {
    return childrenIn(this.#all());
  }

  #all(): readonly StepSummary[] {
    const state = this.#access.read();
    return summariesOf(state, state.order);
  }
}

function summariesOf({ steps }: RunState, keys: Iterable<string>): StepSummary[] {
  const rows: StepSummary[] = [];
  for (const key of keys) {
    const step = steps.get(key);
    if (step !== undefined) rows.push(step.summary);
  }
  return rows;
}
