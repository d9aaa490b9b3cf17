import { addUsage, NO_USAGE, type Usage } from "../base/usage.ts";
import type { JournalStore, StepQuery, StepRecord, StepSummary, UsageOf } from "./journal-store.ts";
import { childrenIn, pageOfRows, usageBy } from "./in-memory-rows.ts";

/** A journal in memory: library mode and tests. */
export class InMemoryJournalStore implements JournalStore {
  readonly #rows = new Map<string, StepRecord>();
  #lastSeq = 0;
  #usage: Usage = NO_USAGE;

  get(key: string): StepRecord | undefined {
    return this.#rows.get(key);
  }

  put(record: StepRecord): void {
    this.#rows.set(record.key, record);
    this.#lastSeq = Math.max(this.#lastSeq, record.startedSeq, record.endedSeq ?? 0);
    if (record.usage !== null) this.#usage = addUsage(this.#usage, record.usage);
  }

  commit(): void {
    // Rows in memory need no commit.
  }

  list(afterSeq: number, limit: number): readonly StepSummary[] {
    const rows: StepSummary[] = [];
    for (const row of this.#rows.values()) {
      if (row.startedSeq <= afterSeq) continue;
      if (rows.length === limit) break;
      rows.push(summarize(row));
    }
    return rows;
  }

  waits(): readonly StepSummary[] {
    return [...this.#rows.values()]
      .filter((row) => row.state === "waiting" && row.wait !== null)
      .map(summarize);
  }

  count(): number {
    return this.#rows.size;
  }

  lastSeq(): number {
    return this.#lastSeq;
  }

  usage(): Usage {
    return this.#usage;
  }

  usageBy(): readonly UsageOf[] {
    return usageBy(this.#rows.values());
  }

  page(query: StepQuery): readonly StepSummary[] {
    return pageOfRows(this.#rows, query).map(summarize);
  }

  piece(key: string, from: number, length: number): string | null {
    return this.#rows.get(key)?.value?.slice(from, from + length) ?? null;
  }

  children(): { readonly total: number; readonly open: number } {
    return childrenIn(this.#rows.values());
  }
}

function summarize(row: StepRecord): StepSummary {
  const { value, request: _, ...rest } = row;
  return { ...rest, bytes: value?.length ?? 0 };
}
