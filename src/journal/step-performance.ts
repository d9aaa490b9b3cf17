// The performance of a step without a recorded result: it is begun, executed and recorded, each in its turn (J1, J4).
//
// Owns the conditions on the record before a step begins and before it ends (J7 to J9). Does not own the execution of
// its action (step-execution.ts).
import type { Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import type { Activity, ActivityCount } from "./activity.ts";
import { never, type DriveEnd } from "./drive-end.ts";
import type { HandOut } from "./hand-out.ts";
import { holdsSteps } from "./holds-steps.ts";
import type { JournalRows } from "./journal-rows.ts";
import type { StepRecord } from "./journal-store.ts";
import type { ParkedWaits } from "./parked-waits.ts";
import type { QuietCheck } from "./quiet-check.ts";
import type { RestingSteps } from "./resting-steps.ts";
import type { ReplayPlan } from "./replay-plan.ts";
import { isRetryWait } from "./retry-wait.ts";
import type { ExecutedStep, StepExecutor, StepResult } from "./step-execution.ts";
import { cutOffRow, finishedRow, isEntered, misfit, newRow, resultOf } from "./step-row.ts";
import type { JournalLimits, JournalObserver, StepSpec } from "./step-spec.ts";

const NONE: readonly string[] = [];

/** A step with a result that is not recorded yet. */
type EndedStep<T> = ExecutedStep<T> & { readonly result: StepResult<T> };

export type StepPerformerOptions = {
  readonly clock: Clock;
  readonly limits: JournalLimits;
  readonly observer: JournalObserver;
  /** See `JournalOptions`. */
  readonly interruptionWeight: number;
  readonly end: DriveEnd;
  readonly rows: JournalRows;
  readonly plan: ReplayPlan;
  readonly count: ActivityCount;
  readonly results: HandOut;
  readonly waits: ParkedWaits;
  readonly executor: StepExecutor;
  readonly quiet: QuietCheck;
  readonly retries: RestingSteps;
};

export class StepPerformer {
  readonly #clock: Clock;
  readonly #limits: JournalLimits;
  readonly #observer: JournalObserver;
  readonly #interruptionWeight: number;
  readonly #end: DriveEnd;
  readonly #rows: JournalRows;
  readonly #plan: ReplayPlan;
  readonly #count: ActivityCount;
  readonly #results: HandOut;
  readonly #waits: ParkedWaits;
  readonly #executor: StepExecutor;
  readonly #quiet: QuietCheck;
  readonly #retries: RestingSteps;

  constructor(options: StepPerformerOptions) {
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#observer = options.observer;
    this.#interruptionWeight = options.interruptionWeight;
    this.#end = options.end;
    this.#rows = options.rows;
    this.#plan = options.plan;
    this.#count = options.count;
    this.#results = options.results;
    this.#waits = options.waits;
    this.#executor = options.executor;
    this.#quiet = options.quiet;
    this.#retries = options.retries;
  }

  /** Performs a step without a recorded result. `previous` is its row, if an earlier drive began it. */
  async perform<T>(
    parent: Activity,
    key: string,
    work: { spec: StepSpec<T>; previous: StepRecord | undefined },
  ): Promise<T> {
    const { spec, previous } = work;
    const activity = this.#count.open(parent, key);
    const isNew = !isEntered(previous) && !this.#plan.encloses(key);
    const entry = isNew ? this.#replay() : this.#entry(spec, previous);
    if (entry !== undefined) await entry;
    if (isNew ? !this.mayStart() : this.#end.isOver) return never();
    if (previous !== undefined && this.#waitsStill(previous)) {
      await this.#retries.until(activity, previous);
      if (this.#end.isOver) return never();
    }
    this.#count.start(activity);
    const free = this.#executor.tryTakeSlot(spec.kind);
    const slot = free ?? (await this.#executor.waitForSlot());
    if (this.#end.isOver) return never();
    if (parent.isLeftBehind || (free === undefined && this.#end.isClosing())) {
      slot.release();
      return this.#rest(activity);
    }
    if (previous === undefined && !this.#rows.admit(key)) return never();

    const call = !holdsSteps(spec.kind);
    const crashed = call && previous?.state === "started";
    const row = this.#startedRow(parent, key, { ...work, crashed });
    if (crashed && this.#isCutTooOften(row)) return never();
    const isUnknown = crashed && spec.effect === "once";
    if (!isUnknown) {
      if (call || previous === undefined) this.#rows.put(row, { commits: false });
      if (crashed && !this.#end.isOver) this.#observer.restarted?.(key, row.attempt);
      // Code of the step runs next and may have any effect (J1). A model call first reports its beginning; see `begun`.
      if (call && spec.kind !== "model" && !this.#end.isOver) await this.#rows.stored();
      if (this.#end.isOver) return never();
    }
    const executed = isUnknown
      ? this.#unknownOutcome<T>(activity, row)
      : await this.#executor.execute({ activity, row, spec, slot });
    if (this.#end.isOver) return never();
    const { result, ...last } = executed;
    if (result === "rests") return this.#rest(last.activity);

    const leftOut = call ? this.#leaveOutBelow(key) : NONE;
    const turn = this.#results.turn();
    if (turn !== undefined) await turn;
    return this.#end.isOver ? never() : this.#conclude({ ...last, result }, spec, leftOut);
  }

  /** Replay of the record, which a new step waits for; undefined when it is over. */
  #replay(): Promise<void> | undefined {
    return this.#plan.isReplayed ? undefined : this.replayed();
  }

  /** Turn of a recorded step to enter its code again; undefined without an order to keep. */
  #entry<T>({ kind }: StepSpec<T>, previous: StepRecord | undefined): Promise<void> | undefined {
    return previous !== undefined && holdsSteps(kind) ? this.#results.entry(previous) : undefined;
  }

  /** Ends the drive if crashes cut the step off as often as allowed. */
  #isCutTooOften({ key, interrupted, cutWeight = interrupted }: StepRecord): boolean {
    if (cutWeight < this.#limits.maxInterruptions) return false;
    this.#end.give(
      "crash_budget_exceeded",
      `step ${key} was cut off by a crash ${Math.ceil(cutWeight)} times and is not tried again`,
    );
    return true;
  }

  /** Fails a step that may run only once, after a crash in its action (J8). */
  #unknownOutcome<T>(activity: Activity, row: StepRecord): ExecutedStep<T> {
    this.#plan.leaveOutBelow(row.key);
    this.#results.goOn();
    const message = `step ${row.key} may run only once and was cut off: whether it took effect is unknown`;
    return { activity, row, result: { error: new EngineError("outcome_unknown", message) } };
  }

  /** Records the end of a step in its turn, and returns its result. */
  #conclude<T>(
    end: EndedStep<T>,
    spec: StepSpec<T>,
    leftOut: readonly string[],
  ): T | Promise<never> {
    const { key } = end.row;
    // Until its turn comes, code left behind by the step, such as the slower branch of a race, receives its results and
    // asks for more.
    const missing = this.#results.unasked(key);
    if (missing !== undefined) {
      this.#end.finish(misfit(missing, `${key} ended without asking for it`));
      return never();
    }
    // The rest is inside open calls, which do not continue (J16).
    const dropped = holdsSteps(spec.kind) ? this.#leaveOutBelow(key) : leftOut;
    const finished = this.#record(end, spec, dropped);
    return this.#end.isOver ? never() : outcomeOf(finished, end.result, spec);
  }

  /**
   * True before the due time of the step's next attempt (J17). A step that encloses recorded steps runs, because its
   * code must ask for them.
   */
  #waitsStill(row: StepRecord): boolean {
    if (!isRetryWait(row) || this.#plan.encloses(row.key)) return false;
    return (row.wait?.dueAtMs ?? 0) > this.#clock.now();
  }

  /** Builds the row of a step whose action is about to run. */
  #startedRow<T>(
    parent: Activity,
    key: string,
    {
      spec,
      previous,
      crashed,
    }: { spec: StepSpec<T>; previous: StepRecord | undefined; crashed: boolean },
  ): StepRecord {
    const { kind, label, mark } = spec;
    const inputHash = spec.inputHash ?? null;
    const call = spec.call?.();
    if (previous !== undefined) {
      const again: StepRecord = { ...previous, state: "started", inputHash, error: null };
      const row = call === undefined ? again : { ...again, call };
      return crashed ? cutOffRow(row, this.#interruptionWeight, spec) : row;
    }
    return newRow(key, kind, {
      parent: parent.key,
      label,
      mark: typeof mark === "string" ? mark : null,
      inputHash,
      call,
      startedSeq: this.#rows.nextSeq(),
      startedAtMs: this.#clock.now(),
    });
  }

  /**
   * Records the end of a step, so the calling code can continue. `dropped` are keys requested by an earlier execution
   * and not by this one.
   */
  #record<T>(
    { activity, row, result }: EndedStep<T>,
    spec: StepSpec<T>,
    dropped: readonly string[],
  ): StepRecord {
    const finished = finishedRow(row, result, {
      spec,
      maxLength: this.#limits.maxValueLength,
      endedSeq: this.#rows.nextSeq(),
      endedAtMs: this.#clock.now(),
      rowOf: (at) => this.#rows.find(at),
    });
    this.#rows.put(finished);
    this.#waits.withdrawBelow(row.key, dropped);
    this.#retries.withdrawBelow(row.key);
    if (this.#end.isOver) return finished;
    if (finished.usage !== null) this.#rows.consumed(finished.usage);
    this.#count.close(activity);
    this.#observer.recorded?.(row.key);
    const othersBusy = this.#count.busy - (activity.parent?.busy ? 1 : 0);
    if (othersBusy > 0 || this.#results.hasTurns) this.#results.goOn();
    else this.#quiet.check();
    return finished;
  }

  /**
   * Drops recorded steps below a call that runs again and ends before it asks for them. The world may have changed,
   * often through the call's own earlier effect, such as a finished upload. The same holds for a step enclosing such a
   * call, until the call has reached its earlier position.
   */
  #leaveOutBelow(key: string): readonly string[] {
    if (this.#plan.isReplayed) return NONE;
    const dropped = this.#plan.leaveOutBelow(key);
    this.#results.goOn();
    return dropped;
  }

  /** Resolves when the record is replayed. */
  replayed(): Promise<void> {
    this.#quiet.check();
    return this.#results.replayed();
  }

  /** False if this drive starts no further step. */
  mayStart(): boolean {
    if (this.#end.isOver) return false;
    if (!this.#end.isClosing()) return true;
    this.#quiet.check();
    return false;
  }

  /** Stops a request by code of a step that has already ended (J16). */
  goesNoFurther(parent: Activity, key: string): Promise<never> {
    return this.#rest(this.#count.open(parent, key));
  }

  /** Stops a step that may not begin, or begin again, in this drive. */
  #rest(activity: Activity): Promise<never> {
    this.#count.rest(activity);
    this.#quiet.check();
    return never();
  }
}

/** Returns the step's result for the calling code. Throws the step's failure. */
function outcomeOf<T>(row: StepRecord, result: StepResult<T>, { kind, carries }: StepSpec<T>): T {
  const { error } = row;
  // A user's value is returned in the form of a replay: a copy, without its unrecorded fields.
  if (error === null && kind === "effect") return resultOf(row, carries) as T;
  if (error === null && "value" in result) return result.value;
  if ("error" in result && EngineError.is(result.error)) throw result.error;
  throw EngineError.fromRecord(
    error ?? { code: "internal", message: "no result", retryable: false },
  );
}
