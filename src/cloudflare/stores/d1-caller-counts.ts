import type { CallerCounts, LimitedCall } from "../../protocols/caller-limits.ts";
import { onDatabase, type Database } from "../d1.ts";

/** Counts of calls in D1. */
export class D1CallerCounts implements CallerCounts {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  add(
    { tenant, callerId, subject }: LimitedCall,
    { startMs, lengthMs }: { startMs: number; lengthMs: number },
  ): Promise<number> {
    return onDatabase(async () => {
      const row = (await this.#db
        .prepare(
          "INSERT INTO caller_counts (tenant, caller, subject, window_ms, window_start, calls) VALUES (?, ?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET calls = calls + 1 RETURNING calls",
        )
        .bind(tenant, callerId, subject, lengthMs, startMs)
        .first()) as { calls: number } | null;
      return row?.calls ?? 1;
    });
  }

  prune(beforeMs: number): Promise<void> {
    return onDatabase(async () => {
      await this.#db
        .prepare("DELETE FROM caller_counts WHERE window_start < ?")
        .bind(beforeMs)
        .run();
    });
  }
}
