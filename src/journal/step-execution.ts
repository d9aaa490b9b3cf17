// Step execution: runs a step's action after the journal has decided to run it.
//
// Owns attempts, retry, time limits and the bound on concurrent calls. Does not own the record and its order: the
// journal writes rows and ends the drive.
import { errorRecord } from "../base/error-record.ts";
import { sleep, type Clock } from "../base/clock.ts";
import { log } from "../base/log.ts";
import { MAX_TIMER_MS, type Call, type SharedTimer } from "../base/shared-timer.ts";
import { EngineError } from "../base/error.ts";
import { PlatformFault } from "../base/platform-fault.ts";
import {
  DEFAULT_RETRY,
  isAway,
  outageWait,
  retryDelayMs,
  stayedAway,
  type Outage,
} from "../base/retry.ts";
import type { Activity } from "./activity.ts";
import { Execution } from "./execution.ts";
import { holdsSteps } from "./holds-steps.ts";
import type { StepKind, StepRecord } from "./journal-store.ts";
import { outageOf, waitForTry } from "./retry-wait.ts";
import { Slots } from "./slots.ts";
import { SilenceLimit } from "./silence-limit.ts";
import type { JournalLimits, JournalObserver, StepSpec } from "./step-spec.ts";

/** Failed attempt of an outage after which a log line is written. Most outages have passed by then. */
const LOGGED_TRY = 2;

/** Result of an action. */
export type StepResult<T> = { readonly value: T } | { readonly error: unknown };

/** The journal as an execution sees it. */
export interface ExecutionHost {
  readonly runId: string;
  readonly clock: Clock;
  /** Timer of this drive. */
  readonly timer: SharedTimer;
  readonly limits: JournalLimits;
  /** Resolves when a step waiting on its row may be tried again (J17). */
  waitForRetry(activity: Activity, row: StepRecord): Promise<void>;
  /** True once the drive has ended: writes are no longer allowed (J10). */
  isOver(): boolean;
  /** True if no further execution may begin in this drive. */
  isResting(): boolean;
  put(row: StepRecord): void;
  /** Called after the synchronous beginning of an execution. */
  begun(row: StepRecord): void;
  /** See `StepContext.earlier`. */
  earlier(key: string): number;
  fail(error: unknown): void;
  retrying: Required<JournalObserver>["retrying"];
  /** See `ActivityCount.again`. */
  again(activity: Activity): Activity;
  /** Allows the next execution to request the steps of a failed one again. */
  forgetBelow(key: string): void;
}

/** A slot among the concurrent calls; steps without a call need none. */
export type Slot = { readonly release: () => void };

const NO_SLOT: Slot = { release: () => {} };

/** A step about to run; its row is recorded as started. */
export type StartedStep<T> = {
  readonly activity: Activity;
  readonly row: StepRecord;
  readonly spec: StepSpec<T>;
  readonly slot: Slot;
};

/** Result of executing a step. It rests if the drive stopped starting attempts before the step had a result. */
export type ExecutedStep<T> = {
  /** Activity of the last execution. */
  readonly activity: Activity;
  readonly row: StepRecord;
  readonly result: StepResult<T> | "rests";
};

/** Delay before the next attempt of a step, and the outage in which it failed. */
type NextTry = { readonly delayMs: number; readonly outage?: Outage };

/** Executes the steps of one drive. */
export class StepExecutor {
  readonly #host: ExecutionHost;
  readonly #slots: Slots;
  readonly #running = new Set<Execution>();
  /** Ends a model call or a tool under way, unless it waits for steps of its own. */
  readonly #interrupts = new Set<() => void>();
  /** Steps waiting for their next attempt. */
  readonly #sleeping = new Set<AbortController>();

  constructor(host: ExecutionHost) {
    this.#host = host;
    this.#slots = new Slots(host.limits.concurrentCalls);
  }

  /** A slot for a step of this kind; undefined where all are taken. */
  tryTakeSlot(kind: StepKind): Slot | undefined {
    if (kind !== "model" && kind !== "tool") return NO_SLOT;
    return this.#slots.tryTake() ? this.#slot() : undefined;
  }

  /** Waits in line for a slot. */
  async waitForSlot(): Promise<Slot> {
    await this.#slots.turn();
    return this.#slot();
  }

  #slot(): Slot {
    let held = true;
    const release = (): void => {
      if (held) this.#slots.release();
      held = false;
    };
    return { release };
  }

  /**
   * Runs a step until it has a result, with retries by its policy. The return value has no meaning once the drive is
   * over.
   */
  async execute<T>(step: StartedStep<T>): Promise<ExecutedStep<T>> {
    const { spec } = step;
    let { activity, row, slot } = step;
    let hadSteps = false;
    const rests = (): ExecutedStep<T> => ({ activity, row, result: "rests" });
    const put = (change: Partial<StepRecord>): void =>
      this.#host.put((row = { ...row, ...change }));
    const enter = (): void => {
      hadSteps = true;
      activity.onNested = undefined;
      slot.release();
      put({ state: "waiting" });
    };
    // Its own code runs on: after a crash from here, it is unknown if the effect took place (J8).
    const resume = (): void => {
      put({ state: "started" });
      activity.onNested = enter;
    };
    for (;;) {
      if (!holdsSteps(spec.kind)) activity.onNested = enter;
      if (spec.effect === "once") activity.onResumed = resume;
      const result = await this.#attempt(activity, row, spec);
      // Code left behind may still open steps; the row covers the awaited code alone.
      activity.onNested = activity.onResumed = undefined;
      if (this.#host.isOver()) return rests();
      if ("error" in result && PlatformFault.is(result.error)) {
        this.#host.fail(result.error);
        return rests();
      }
      // Nested steps still running would collide with the next execution.
      if ("value" in result || holdsSteps(spec.kind) || activity.nested > 0) {
        slot.release();
        return { activity, row, result };
      }
      const next = this.#nextTry(row, spec, result.error);
      if ("error" in next) {
        slot.release();
        return { activity, row, result: next };
      }
      activity.abandoned = true;
      const rest = !hadSteps && next.delayMs > this.#host.limits.longestSleepMs;
      put(this.#failedAttempt(row, result.error, { ...next, rest }));
      this.#host.forgetBelow(row.key);
      activity = this.#host.again(activity);
      if (rest) {
        slot.release();
        await this.#host.waitForRetry(activity, row);
        slot = this.tryTakeSlot(spec.kind) ?? (await this.waitForSlot());
      } else {
        await this.#sleep(next.delayMs);
      }
      if (this.#host.isOver()) return rests();
      if (this.#host.isResting()) {
        slot.release();
        return rests();
      }
      put({ state: "started", error: null });
      if (this.#host.isOver()) return rests();
    }
  }

  /** Ends the model calls and tools under way with `interrupted`; for a tool with `effect: "once"`, `outcome_unknown`. */
  interrupt(): void {
    for (const interrupt of this.#interrupts) interrupt();
  }

  /** Ends the waiting between attempts. */
  wake(): void {
    for (const controller of this.#sleeping) controller.abort();
  }

  /** Aborts all executions: the drive is over. */
  stop(): void {
    const open = [...this.#running, ...this.#sleeping];
    const reason = open.length > 0 ? new EngineError("run_cancelled", "the run was stopped") : null;
    for (const each of open) each.abort(reason);
  }

  async #sleep(delayMs: number): Promise<void> {
    const controller = new AbortController();
    this.#sleeping.add(controller);
    await sleep(this.#host.clock, delayMs, controller.signal).catch(() => undefined);
    this.#sleeping.delete(controller);
  }

  /** Returns the delay before another attempt, or the final error of the step. */
  #nextTry<T>(
    row: StepRecord,
    { effect, retry = DEFAULT_RETRY, deadlineAtMs, hearsSilence }: StepSpec<T>,
    error: unknown,
  ): NextTry | { readonly error: unknown } {
    const { key, attempt, interrupted } = row;
    if (!EngineError.is(error) || (effect === "once" && !error.unsent)) return { error };
    const nowMs = this.#host.clock.now();
    const before = outageOf(row);
    const { outageMs, callMs } = this.#host.limits;
    const isTooLate = (delayMs: number): boolean =>
      deadlineAtMs !== undefined && nowMs + delayMs >= deadlineAtMs;
    if (retry.waitsOutage === true && outageMs > 0 && isAway(error)) {
      const wait = outageWait(retry, { key, error, before }, { nowMs, outageMs });
      if (wait !== undefined && !isTooLate(wait.delayMs)) {
        const { delayMs, ...outage } = wait;
        return { delayMs, outage };
      }
      const met = before ?? { sinceMs: nowMs, tries: 0 };
      return { error: stayedAway(error, met, { nowMs, outageMs }) };
    }
    if (hearsSilence === true && error.code === "timeout" && nowMs - row.startedAtMs >= callMs)
      return { error };
    // Attempts lost to an outage or a crash do not count against the policy.
    const counted = attempt - interrupted - (before?.tries ?? 0);
    const delayMs = retryDelayMs(retry, { error, attempt: counted, key });
    return delayMs === undefined || isTooLate(delayMs) ? { error } : { delayMs };
  }

  /** Reports a failed attempt. Returns its changes to the row, which waits for the next attempt. */
  #failedAttempt(
    row: StepRecord,
    thrown: unknown,
    { delayMs, outage, rest }: NextTry & { readonly rest: boolean },
  ): Partial<StepRecord> {
    const { key, attempt } = row;
    const error = errorRecord(thrown);
    const dueAtMs = this.#host.clock.now() + delayMs;
    this.#host.retrying(key, { attempt, error, delayMs });
    if (outage?.tries === LOGGED_TRY)
      log("model_away", { run: this.#host.runId, step: key, model: row.label ?? undefined });
    const wait = rest || outage ? waitForTry(row, { outage, error, dueAtMs }) : row.wait;
    return { attempt: attempt + 1, state: "waiting", error, wait };
  }

  /** One execution, raced against its time limit and the end of the drive. */
  #attempt<T>(activity: Activity, row: StepRecord, spec: StepSpec<T>): Promise<StepResult<T>> {
    const execution = new Execution(this.#host, row, activity);
    this.#running.add(execution);
    return new Promise((resolve) => {
      let limit: Call | undefined;
      let silence: SilenceLimit | undefined;
      const end = (result: StepResult<T>): void => {
        if (limit !== undefined) this.#host.timer.cancel(limit);
        silence?.stop();
        this.#running.delete(execution);
        this.#interrupts.delete(interrupt);
        resolve(result);
      };
      const interrupt = (): void => {
        if (activity.nested > 0) return; // its nested steps are interrupted
        const error = interruption(row, spec.effect);
        execution.abort(error);
        end({ error });
      };
      if (row.kind === "model" || row.kind === "tool") this.#interrupts.add(interrupt);
      const expire = (message: string): void => {
        if (activity.nested > 0) return; // it waits for nested steps, which have limits of their own
        const expiry = new EngineError("timeout", message, { retryable: true });
        execution.abort(expiry);
        end({ error: expiry });
      };
      if (spec.hearsSilence === true) {
        const { limits, timer } = this.#host;
        const about = { what: spec.label ?? execution.key, attempt: row.attempt, limits, timer };
        silence = new SilenceLimit(about, expire);
        execution.alive = silence.alive;
      }
      const timeoutMs = this.#timeLeft(spec);
      try {
        const work = spec.run(execution);
        this.#host.begun(row);
        work.then(
          (value) => end({ value }),
          (error: unknown) => end({ error }),
        );
      } catch (error) {
        return end({ error });
      }
      if (timeoutMs <= MAX_TIMER_MS)
        limit = this.#host.timer.after(timeoutMs, () =>
          expire(`step ${execution.key} took longer than ${timeoutMs} ms`),
        );
    });
  }

  /** Milliseconds until the step times out; infinite without a limit. */
  #timeLeft<T>({ timeoutMs = Infinity, deadlineAtMs }: StepSpec<T>): number {
    if (deadlineAtMs === undefined) return timeoutMs;
    return Math.min(timeoutMs, Math.max(0, deadlineAtMs - this.#host.clock.now()));
  }
}

/** Error of a step ended by a message. */
function interruption({ key }: StepRecord, effect: StepSpec<unknown>["effect"]): EngineError {
  return effect === "once"
    ? new EngineError(
        "outcome_unknown",
        `step ${key} was interrupted by a message, and it is unknown whether it took effect`,
      )
    : new EngineError("interrupted", `step ${key} was interrupted by a message`);
}
