// Limits on the code of one run.
import { EngineError } from "../base/error.ts";
import type { RunScope } from "../events/run-scope.ts";
import { Slots } from "../journal/slots.ts";

/** Limits of one run: pieces of code, milliseconds of all of them, and concurrent pieces. */
const CODE_LIMITS = { pieces: 50, totalMs: 600_000, atOnce: 2 } as const;

/** Name of the readings with the duration of each piece of code. */
const SPENT = "code-ms";

const budgets = new WeakMap<object, CodeBudget>();

/** Remaining budget of a run for code. It counts the recorded pieces, so replays and crashes do not change it. */
export class CodeBudget {
  #pieces: number;
  #spentMs: number;
  readonly #slots = new Slots(CODE_LIMITS.atOnce);

  private constructor(spent: readonly number[]) {
    this.#pieces = spent.length;
    this.#spentMs = spent.reduce((sum, each) => sum + each, 0);
  }

  /** Returns the budget of a drive, shared by all its code. */
  static of(scope: RunScope): CodeBudget {
    let budget = budgets.get(scope.drive);
    if (budget === undefined)
      budgets.set(scope.drive, (budget = new CodeBudget(scope.readings(SPENT) as number[])));
    return budget;
  }

  /**
   * Waits for a free slot, then runs the code with at most the remaining time. Throws `limit_exceeded` if the budget is
   * used up.
   */
  async spend<T>(
    scope: RunScope,
    timeoutMs: number,
    code: (timeoutMs: number) => Promise<T>,
  ): Promise<T> {
    this.#admit();
    this.#pieces++;
    if (!this.#slots.tryTake()) await this.#slots.turn();
    const startedAtMs = scope.clock.now();
    try {
      const leftMs = CODE_LIMITS.totalMs - this.#spentMs;
      if (leftMs <= 0) throw usedUp();
      return await code(Math.min(timeoutMs, leftMs));
    } finally {
      this.#slots.release();
      const spentMs = scope.clock.now() - startedAtMs;
      this.#spentMs += spentMs;
      scope.atNext(SPENT).reading(() => spentMs);
    }
  }

  #admit(): void {
    if (this.#spentMs >= CODE_LIMITS.totalMs) throw usedUp();
    if (this.#pieces >= CODE_LIMITS.pieces)
      throw new EngineError(
        "limit_exceeded",
        `a run may run ${CODE_LIMITS.pieces} pieces of code; this is one more`,
      );
  }
}

function usedUp(): EngineError {
  return new EngineError(
    "limit_exceeded",
    `the code of a run may take ${CODE_LIMITS.totalMs / 60_000} minutes in all, and they are used up`,
  );
}
