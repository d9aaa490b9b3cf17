// Claims: the steps requested by the code in this drive. Each may be requested once.
import { EngineError } from "../base/error.ts";
import type { DriveEnd } from "./drive-end.ts";
import type { HandOut } from "./hand-out.ts";
import { holdsSteps } from "./holds-steps.ts";
import type { JournalRows } from "./journal-rows.ts";
import type { StepKind, StepRecord } from "./journal-store.ts";
import type { ReplayPlan } from "./replay-plan.ts";
import { ancestors } from "./step-key.ts";
import { misfit } from "./step-row.ts";

export type StepClaimsOptions = {
  readonly end: DriveEnd;
  readonly rows: JournalRows;
  readonly plan: ReplayPlan;
  readonly results: HandOut;
};

export class StepClaims {
  readonly #end: DriveEnd;
  readonly #rows: JournalRows;
  readonly #plan: ReplayPlan;
  readonly #results: HandOut;
  readonly #claimed = new Set<string>();

  constructor({ end, rows, plan, results }: StepClaimsOptions) {
    this.#end = end;
    this.#rows = rows;
    this.#plan = plan;
    this.#results = results;
  }

  /**
   * Marks a key as used in this drive and reads its row; returns "closed" if the drive is over. Throws for a key
   * already in use.
   */
  claim(key: string, kind: StepKind): StepRecord | undefined | "closed" {
    if (this.#claimed.has(key)) {
      throw new EngineError(
        "invalid_definition",
        `two steps of this run have the key ${key}: give one of them another name`,
      );
    }
    this.#claimed.add(key);
    // Most steps are new, and a look into the store costs as much as a write.
    if (!this.#rows.has(key)) return this.#end.isOver ? "closed" : undefined;
    if (this.#plan.asked(key)) this.#results.goOn();
    const row = this.#rows.get(key);
    if (this.#end.isOver) return "closed";
    if (row !== undefined && row.kind !== kind) {
      this.#end.finish(misfit(key, `it was a ${row.kind} and is a ${kind} now`));
      return "closed";
    }
    return row;
  }

  /** True if a requested, unfinished call encloses the step; with `enclosing`, a call inside it. */
  isInsideCall(key: string, enclosing?: string): boolean {
    for (const path of ancestors(key)) {
      if (path === enclosing) return false;
      const row = this.#claimed.has(path) ? this.#rows.get(path) : undefined;
      if (
        row !== undefined &&
        row.kind !== "wait" &&
        row.endedSeq === null &&
        !holdsSteps(row.kind)
      )
        return true;
    }
    return false;
  }

  /** Frees the names of steps made by a failed execution: the next one finds them on record. */
  forgetBelow(key: string): void {
    for (const claimed of this.#claimed)
      if (claimed.startsWith(`${key}/`)) this.#claimed.delete(claimed);
  }

  /** Lets go of all (J13). */
  clear(): void {
    this.#claimed.clear();
  }
}
