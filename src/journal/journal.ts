// Journal: the finished work of a run, and the only way to do more.
//
// Owns the requests of code in a drive: a step, a reading or a wait is claimed, then delivered from the record or
// performed. Does not own the rows (journal-rows.ts), the start and recording of a new step (step-performance.ts), its
// execution (step-execution.ts), the end of a drive (quiet-check.ts, drive-end.ts), runs (runtime), or the start of the
// next drive (alarms).
//
//   J1. A step is on record as started before its action begins, and its result is on record before the calling code
//       continues. The store persists recorded rows by the end of the turn at the latest, and before user code of an
//       action runs: no effect leaves the object in between. Steps started side by side are stored together.
//   J2. Replay runs no action with a recorded result, and delivers results in the order in which they ended.
//   J3. A recorded failure is thrown again, never run again.
//   J4. Results are delivered one at a time: code resumed by one result has run before the next result is recorded. So
//       a race between steps ends the same way in every replay. If code knows its result has resumed no other code, it
//       may report this, and the next result is delivered immediately.
//   J5. Waiting parks: the promise never settles in this drive, so no `catch` or `finally` of the user's sees it.
//   J6. A drive ends as soon as it is quiet: no step is running, and every open wait is on record.
//   J7. Code that no longer fits the record (a recorded step, finished or not, is never requested, or is requested as
//       another kind) ends the drive as `held` and names the step. No new step starts, and no enclosing step ends,
//       before the record is replayed. A call that runs again may end without its earlier requests: the outside world
//       may have changed, also through the call itself.
//   J8. An unfinished step with `effect: "once"` is never run again: it fails with `outcome_unknown`.
//   J9. A step that was cut off by a crash `maxInterruptions` times is not tried again: `crash_budget_exceeded`.
//  J10. After the end of a drive its remaining code cannot write: late results change no byte.
//  J11. A storage failure never reaches user code: the drive ends undecided. A `PlatformFault` thrown by a step has the
//       same effect. No message is read: an error of user code is the step's own failure.
//  J12. Finished steps stay finished: a finished step requested with another input returns its recorded result, and the
//       observer is notified. An unfinished step runs with its new input.
//  J13. An ended drive releases everything it parked or held back, so its memory can be freed.
//  J14. A step that ends withdraws its open questions to people, events and timers: no replay reaches them again.
//       Children continue.
//  J15. A group entered in an earlier drive is entered again after the same results as then: its code sees the same
//       state, also in a fork.
//  J17. A step waits for an unavailable server on its row: it is not busy, the drive may end, and the next drive
//       continues the wait. Attempts are made on time; no crash or pause loses or doubles one, and they stop once no
//       code asks for the step.
//  J16. Below an ended step no step or wait begins: code left behind does not continue.
import type { Clock } from "../base/clock.ts";
import { cut } from "../base/cut.ts";
import { endOfRun } from "../base/error-place.ts";
import { plainText } from "../base/recorded.ts";
import { EngineError } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { PlatformFault } from "../base/platform-fault.ts";
import { SharedTimer } from "../base/shared-timer.ts";
import type { Usage } from "../base/usage.ts";
import { Activity, ActivityCount } from "./activity.ts";
import { DriveEnd, never } from "./drive-end.ts";
import type { StepRecord, WaitRequest } from "./journal-store.ts";
import { HandOut } from "./hand-out.ts";
import { JournalRows } from "./journal-rows.ts";
import { MailDeliveries, type MailPlace } from "./mail-delivery.ts";
import { ParkedWaits } from "./parked-waits.ts";
import { QuietCheck } from "./quiet-check.ts";
import { ReplayPlan } from "./replay-plan.ts";
import { isRetryWait } from "./retry-wait.ts";
import { RestingSteps } from "./resting-steps.ts";
import { StepClaims } from "./step-claims.ts";
import { StepExecutor } from "./step-execution.ts";
import { StepPerformer } from "./step-performance.ts";
import { decode, misfit, newRow, resultOf } from "./step-row.ts";
import { StepRanks } from "./step-ranks.ts";
import type { WaitsTogether } from "./waits-together.ts";
import {
  DEFAULT_JOURNAL_LIMITS,
  type Answer,
  type DriveResult,
  type HeldDrive,
  type JournalObserver,
  type JournalOptions,
  type StepSpec,
} from "./step-spec.ts";

export class Journal {
  readonly runId: string;
  readonly clock: Clock;
  readonly #observer: JournalObserver;
  readonly #end: DriveEnd;
  readonly #plan: ReplayPlan;
  readonly #rows: JournalRows;
  readonly #count = new ActivityCount();
  readonly #root = new Activity();
  readonly #results: HandOut;
  readonly #claims: StepClaims;
  #mail: MailDeliveries | undefined;
  readonly #waits: ParkedWaits;
  readonly #retries: RestingSteps;
  readonly #executor: StepExecutor;
  readonly #performer: StepPerformer;
  readonly #quiet: QuietCheck;
  readonly #timer: SharedTimer;

  constructor(options: JournalOptions) {
    const { runId, store, clock, observer = {}, interruptionWeight = 1 } = options;
    const { yieldAtMs = Number.POSITIVE_INFINITY } = options;
    const limits = { ...DEFAULT_JOURNAL_LIMITS, ...options.limits };
    const timer = (this.#timer = options.timer ?? new SharedTimer(clock));
    const end = new DriveEnd({ clock, yieldAtMs, letGo: () => this.#letGo() });
    const plan = ReplayPlan.of(store);
    const results = new HandOut({
      plan,
      isOver: () => end.isOver,
      isInsideCall: (key, enclosing) => this.#claims.isInsideCall(key, enclosing),
      onIdle: () => this.#quiet.check(),
    });
    const { maxSteps } = limits;
    const rows = new JournalRows({ store, end, maxSteps, recorded: plan.recorded });
    const modelRanks = new StepRanks(store, "model");
    const executor = new StepExecutor({
      runId,
      clock,
      timer,
      limits,
      waitForRetry: (activity, row) => this.#retries.until(activity, row),
      isOver: () => end.isOver,
      isResting: () => end.isClosing(),
      put: (row) => rows.put(row),
      begun: ({ kind }) => {
        if (kind === "model") rows.commit();
      },
      earlier: (key) => end.storage(() => modelRanks.of(key)) ?? 0,
      fail: (error) => end.fail(error),
      retrying: (key, failed) => observer.retrying?.(key, failed),
      again: (activity) => this.#count.again(activity),
      forgetBelow: (key) => this.#claims.forgetBelow(key),
    });
    const count = this.#count;
    const parts = { clock, observer, end, rows, plan, results, count, executor };
    this.runId = runId;
    this.clock = clock;
    this.#observer = observer;
    this.#end = end;
    this.#plan = plan;
    this.#rows = rows;
    this.#results = results;
    this.#executor = executor;
    const claims = (this.#claims = new StepClaims(parts));
    const waits = (this.#waits = new ParkedWaits(parts));
    const quiet = (this.#quiet = new QuietCheck({ ...parts, claims }));
    const retries = (this.#retries = new RestingSteps({ ...parts, onRest: () => quiet.check() }));
    this.#performer = new StepPerformer({
      ...parts,
      limits,
      interruptionWeight,
      waits,
      quiet,
      retries,
    });
  }

  /** Keys of the steps that were running when the last drive ended. */
  get unfinished(): readonly string[] {
    return this.#plan.unfinished.map((row) => row.key);
  }

  /** Total usage of all model calls of the run, including earlier drives. */
  get usage(): Usage {
    return this.#rows.usage;
  }

  /** True once the drive is over: remaining code must leave no trace (J10). */
  get ended(): boolean {
    return this.#end.isOver;
  }

  /** Counts the steps with this label that began before the step of this key. Reads the record from its beginning. */
  begunBefore(key: string, label: string): number {
    return this.#rows.begunBefore(key, label);
  }

  /**
   * Returns the readings at places of this name anywhere in the run, oldest first. A second reading at one place has a
   * number after the name. Reads the record from its beginning.
   */
  readings(name: string): readonly JsonValue[] {
    return this.#rows.readings(name);
  }

  /** The keys of the finished steps directly below one. */
  finishedBelow(key: string): readonly string[] {
    return this.#rows.finishedBelow(key);
  }

  /** Runs the program over the record until it ends, waits, or is stopped. Never rejects; once per journal. */
  drive(program: (root: Activity) => Promise<JsonValue>): Promise<DriveResult> {
    this.#count.start(this.#root);
    for (const row of this.#plan.unwanted)
      if (isRetryWait(row)) this.#retries.withdraw(row.key);
      else this.#waits.withdraw(row.key);
    const ended = async (result: DriveResult): Promise<void> => {
      // Code left behind receives its results and asks for more steps.
      if (this.#results.unasked() !== undefined) await this.#results.turn();
      // A step requested without waiting for it is no mismatch: a wait may be answered after the code has passed it.
      const missing = this.#results.unasked();
      const how =
        result.state === "failed"
          ? `the code failed before this step (${result.error.message})`
          : "the code ended without asking for it";
      this.#end.finish(missing === undefined ? result : misfit(missing, how));
    };
    Promise.resolve()
      .then(() => program(this.#root))
      .then(
        (value) => ended({ state: "completed", value }),
        (error: unknown) =>
          PlatformFault.is(error)
            ? this.fail(error)
            : ended({ state: "failed", error: endOfRun(error) }),
      );
    return this.#end.result;
  }

  /** Ends the drive immediately; every open call is aborted. */
  stop(): void {
    this.#end.finish({ state: "stopped" });
  }

  /** Ends the drive: for good with an engine error, or undecided with a storage error (J11). */
  fail(error: unknown): void {
    this.#end.fail(error);
  }

  /** Ends the drive before any new work: the run's code, or this step of it, does not fit the record (J7). */
  hold(held: Omit<HeldDrive, "state">): void {
    this.#end.finish({ state: "held", ...held });
  }

  /** Starts no further step; the drive ends as `paused` when the running steps are through. */
  pause(): void {
    this.#end.pause();
    this.#executor.wake();
  }

  /** Performs `spec.run` exactly once under `key`, or delivers the result recorded by an earlier drive. */
  step<T>(parent: Activity, key: string, spec: StepSpec<T>): Promise<T> {
    if (this.#end.isOver || parent.abandoned) return never();
    if (parent.isLeftBehind) return this.#performer.goesNoFurther(parent, key);
    let row: StepRecord | undefined | "closed";
    try {
      row = this.#claims.claim(key, spec.kind);
    } catch (error) {
      return Promise.reject(error);
    }
    if (row === "closed") return never();
    if (row?.state === "done" || row?.state === "error") {
      if (isOtherInput(row, spec)) this.#observer.changed?.(row);
      return this.#end.isOver ? never() : this.#replay<T>(parent, row, spec.carries);
    }
    return this.#performer.perform(parent, key, { spec, previous: row });
  }

  /** A reading without waiting: taken once, the same in every replay. */
  reading<T extends JsonValue>(parent: Activity, key: string, read: () => T): T {
    if (this.#end.isOver || parent.isLeftBehind) return read();
    const row = this.#claims.claim(key, "value");
    if (row === "closed" || this.#end.isOver) return read();
    if (row !== undefined) return decode(row.value) as T;
    const value = read();
    if (!this.#rows.admit(key)) return value;
    this.#rows.putValue(key, { parent: parent.key, atMs: this.clock.now(), value });
    return value;
  }

  /** Deliveries of messages in this drive. Created when code first asks for messages. */
  get #deliveries(): MailDeliveries {
    return (this.#mail ??= new MailDeliveries({
      end: this.#end,
      rows: this.#rows,
      claims: this.#claims,
      clock: this.clock,
      recorded: this.#plan.recorded,
    }));
  }

  /** True if the record has deliveries of messages. */
  get hasMail(): boolean {
    return this.#deliveries.isAny;
  }

  /** Returns the messages at a place: the recorded ones, and those taken now, if its model call has no result yet. */
  mail(
    parent: Activity,
    place: MailPlace,
    take: (since: number) => readonly JsonObject[],
  ): readonly JsonObject[] {
    return this.#deliveries.receive(parent, place, take);
  }

  /** The place of a step's start; 0 for the program itself. */
  startOf(activity: Activity): number {
    return this.#deliveries.startOf(activity);
  }

  /** Ends the model calls and tools under way with `interrupted`. */
  interrupt(): void {
    this.#executor.interrupt();
  }

  /** Parks until `settle(key)`, or until the request's due time. `together` puts it on record with others. */
  async wait<T>(
    parent: Activity,
    key: string,
    { request, together }: { request: WaitRequest; together?: WaitsTogether },
  ): Promise<T> {
    if (this.#end.isOver || parent.abandoned) return never();
    if (parent.isLeftBehind) return this.#performer.goesNoFurther(parent, key);
    const row = this.#claims.claim(key, "wait");
    if (row === "closed") return never();
    if (row !== undefined) together?.skip();
    if (row?.state === "done" || row?.state === "error") return this.#replay<T>(parent, row);
    const activity = this.#count.open(parent, key);
    if (row === undefined) {
      if (!this.#plan.isReplayed) await this.#performer.replayed();
      if (!this.#performer.mayStart() || parent.isLeftBehind || !this.#rows.admit(key))
        return never();
      const asked = recordable(key, request);
      const opened: StepRecord = {
        ...newRow(key, "wait", {
          parent: parent.key,
          startedSeq: this.#rows.nextSeq(),
          startedAtMs: this.clock.now(),
        }),
        state: "waiting",
        wait: asked,
      };
      if (together === undefined) this.#rows.put(opened);
      else
        await together.add(opened, (write) => void (this.#end.isOver || this.#end.storage(write)));
      if (this.#end.isOver) return never();
      this.#rows.noted(key);
    }
    const wait = row?.wait ?? request;
    this.#observer.parked?.(key, wait);
    if (this.#end.isOver) return never();
    return new Promise<T>((resolve, reject) => {
      const deliver = (): void => this.#handOut(activity, { key, resolve, reject });
      this.#waits.park(key, wait, deliver);
      this.#quiet.check();
    });
  }

  /** Awaits the work of other steps. The step `key` is not busy meanwhile. */
  async until(activity: Activity, key: string, others: Promise<void>): Promise<void> {
    if (this.#end.isOver || activity.isLeftBehind) return never();
    const waiting = this.#count.open(activity, key);
    this.#quiet.check();
    await others;
    if (this.#end.isOver) return never();
    this.#count.close(waiting);
  }

  /**
   * Answers an open wait. Returns false if this key has no open wait. The first answer wins. Throws on a storage
   * failure.
   */
  settle(key: string, answer: Answer): boolean {
    return this.#waits.settle(key, answer);
  }

  #replay<T>(parent: Activity, row: StepRecord, carries = false): Promise<T> {
    const activity = this.#count.open(parent, row.key);
    return new Promise<T>((resolve, reject) => {
      this.#results.replay(row, () =>
        this.#handOut(activity, { key: row.key, carries, resolve, reject }),
      );
    });
  }

  #handOut(
    activity: Activity,
    to: {
      key: string;
      carries?: boolean;
      resolve: (value: never) => void;
      reject: (error: Error) => void;
    },
  ): void {
    const row = this.#rows.get(to.key);
    if (this.#end.isOver || row === undefined) return;
    this.#count.close(activity);
    if (row.error !== null) to.reject(EngineError.fromRecord(row.error));
    else to.resolve(resultOf(row, to.carries) as never);
  }

  /** Reports that a result has resumed no other code; see J4. */
  setOffNothing(): void {
    this.#results.setOffNothing();
  }

  /** Awaits work outside any step. The drive is not quiet meanwhile. */
  during<T>(work: Promise<T>): Promise<T> {
    return this.#quiet.during(work);
  }

  /** Releases all state of an ended drive (J13) and aborts every open call. */
  #letGo(): void {
    for (const waiting of [this.#waits, this.#retries, this.#claims, this.#results])
      waiting.clear();
    this.#executor.stop();
    this.#timer.clear();
  }
}

function isOtherInput<T>(row: StepRecord, { inputHash }: StepSpec<T>): boolean {
  return inputHash !== undefined && row.inputHash !== null && row.inputHash !== inputHash;
}

/** Maximum characters of a question, and of its subject: every read of the run includes them. */
const MAX_QUESTION = 100_000;

/**
 * Returns the wait as it is stored. Throws before any row is written if it cannot be recorded; the error names the
 * field.
 */
function recordable(key: string, request: WaitRequest): WaitRequest {
  plainText(request, `the wait ${key}`);
  const { prompt = "", subject = "" } = request;
  if (prompt.length <= MAX_QUESTION && subject.length <= MAX_QUESTION) return request;
  return {
    ...request,
    ...(prompt === "" ? undefined : { prompt: cut(prompt, MAX_QUESTION) }),
    ...(subject === "" ? undefined : { subject: cut(subject, MAX_QUESTION) }),
  };
}
