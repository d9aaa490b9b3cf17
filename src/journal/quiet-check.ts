// The quiet check: ends a drive once nothing moves in it any more (J6, J7).
import type { Clock } from "../base/clock.ts";
import type { ActivityCount } from "./activity.ts";
import type { DriveEnd } from "./drive-end.ts";
import type { HandOut } from "./hand-out.ts";
import type { ReplayPlan } from "./replay-plan.ts";
import type { StepClaims } from "./step-claims.ts";
import { misfit } from "./step-row.ts";

export type QuietCheckOptions = {
  readonly clock: Clock;
  readonly end: DriveEnd;
  readonly plan: ReplayPlan;
  readonly count: ActivityCount;
  readonly results: HandOut;
  readonly claims: StepClaims;
};

export class QuietCheck {
  readonly #options: QuietCheckOptions;
  #isPending = false;

  constructor(options: QuietCheckOptions) {
    this.#options = options;
  }

  /** Called after any activity has ended: ends the drive soon, unless something moves by then. */
  check(): void {
    const { clock, count } = this.#options;
    if (this.#isPending || count.busy > 0) return;
    this.#isPending = true;
    clock.after(0, () => {
      this.#isPending = false;
      this.#endIfQuiet();
    });
  }

  #endIfQuiet(): void {
    const { end, plan, count, results, claims } = this.#options;
    if (end.isOver || count.busy > 0 || results.isSettling) return;
    const next = plan.next ?? plan.firstOpen();
    // A call resting between two attempts reaches the step in another drive, which also delivers answers that came
    // meanwhile.
    const rests = end.gate !== undefined && next !== undefined && claims.isInsideCall(next);
    end.finish(
      next === undefined || rests
        ? { state: "parked", reason: end.gate ?? "waiting" }
        : misfit(next, "the code does not ask for it any more"),
    );
  }

  /** Awaits work outside any step. The drive is not quiet meanwhile. */
  async during<T>(work: Promise<T>): Promise<T> {
    const release = this.#options.count.hold();
    try {
      return await work;
    } finally {
      release();
      this.check();
    }
  }
}
