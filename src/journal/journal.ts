// Journal: what a run has already done, and the one way to do more.
//
// Owns step records, their order, replay, and the decision that a drive is over. Does not own how a step is executed
// (step-execution.ts), what a run is (runtime), nor when it is driven again (alarms).
//
//   J1. A step is on record as started before its action begins, and its result is on record before the code that
//       asked for it goes on. The store keeps what is on record by the end of the turn at the latest, and before user code
//       of an action runs: nothing leaves the object between. Steps that begin side by side are stored together.
//   J2. Replay runs no action whose result is on record, and hands results out in the order in which they ended.
//   J3. A recorded failure is thrown again, never run again.
//   J4. Results are handed out one at a time: what one of them sets off has run before the next is recorded. So a race
//       between steps ends the same way in every replay.
//   J5. Waiting parks: the promise never settles in this drive, so no `catch` or `finally` of the user's sees it.
//   J6. A drive ends as soon as nothing moves: no step is under way, and every open wait is on record.
//   J7. Code that no longer fits the record (a step that is not asked for, finished or not, or asked for as another kind) ends
//       the drive as `held`, naming the step; nothing new starts, and no enclosing step ends, before the record has been
//       replayed. A call that runs again may end without what it had asked for and not got.
//   J8. An unfinished step with `effect: "once"` is never run again: it fails with `outcome_unknown`.
//   J9. A step that was cut off by a crash `maxInterruptions` times is not tried again: `crash_budget_exceeded`.
//  J10. After a drive has ended nothing it left behind can write: late results change no byte.
//  J11. When storage gives way, no user code hears of it: the drive ends undecided. So it does when a step throws a
//       `PlatformFault`. No message is read: what a user's code throws is the step's own failure.
//  J12. What is finished stays finished: a finished step that is asked for with another input gives its recorded result, and
//       the observer is told. A step that is not finished runs with its new input.
//  J13. A drive that has ended lets go of all that it parked or held back, so that nothing keeps its memory.
//  J14. A step that ends takes back what it still asks people, events and timers for: no replay comes to it again. Children go on.
//  J15. A group that was entered before is entered again after the same results as then: its code sees what it saw.
import type { Clock } from "../base/clock.ts";
import { EngineError, toErrorRecord, type ErrorCode } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import { PlatformFault } from "../base/platform-fault.ts";
import { addUsage, type Usage } from "../base/usage.ts";
import { Activity, ActivityCount } from "./activity.ts";
import type { JournalStore, StepKind, StepRecord, WaitRequest } from "./journal-store.ts";
import { HandOut } from "./hand-out.ts";
import { allRows, holdsSteps, isTakenBack, ReplayPlan } from "./replay-plan.ts";
import { expiredAnswer, settleWait } from "./settle-wait.ts";
import { MAX_TIMER_MS, StepExecutor, type StepResult } from "./step-execution.ts";
import { decode, failure, finishedRow, isEntered, misfit, newRow } from "./step-row.ts";
import { ancestors } from "./step-key.ts";
import { StepRanks } from "./step-ranks.ts";
import type { WaitsTogether } from "./waits-together.ts";
import {
  DEFAULT_JOURNAL_LIMITS,
  type Answer,
  type DriveResult,
  type HeldDrive,
  type JournalLimits,
  type JournalObserver,
  type JournalOptions,
  type StepSpec,
} from "./step-spec.ts";

const NONE: readonly string[] = [];
/** Turns of the microtask queue in which steps that begin side by side come to their start. */
const STARTING_TURNS = 4;
const NOW = Promise.resolve();

export class Journal {
  readonly runId: string;
  readonly #store: JournalStore;
  readonly #clock: Clock;
  readonly #limits: JournalLimits;
  readonly #observer: JournalObserver;
  readonly #interruptionWeight: number;
  readonly #yieldAtMs: number;
  readonly #plan: ReplayPlan;
  readonly #modelRanks: StepRanks;
  readonly #count = new ActivityCount();
  readonly #root = new Activity();
  readonly #executor: StepExecutor;
  readonly #claimed = new Set<string>();
  /** Keys that have a row. */
  readonly #recorded: Set<string>;
  readonly #results: HandOut;
  readonly #parked = new Map<
    string,
    { deliver: () => void; cancelTimer: (() => void) | undefined }
  >();
  readonly #ended: Promise<DriveResult>;
  #end!: (result: DriveResult) => void;
  #closed = false;
  #quietCheckPending = false;
  /** The commit under way of steps that begin. */
  #storing: Promise<void> | undefined;
  #gate: "yielded" | "paused" | undefined;
  #seq: number;
  #steps: number;
  #usage: Usage;

  constructor(options: JournalOptions) {
    this.runId = options.runId;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#limits = { ...DEFAULT_JOURNAL_LIMITS, ...options.limits };
    this.#observer = options.observer ?? {};
    this.#interruptionWeight = options.interruptionWeight ?? 1;
    this.#yieldAtMs = options.yieldAtMs ?? Number.POSITIVE_INFINITY;
    this.#modelRanks = new StepRanks(options.store, "model");
    this.#executor = new StepExecutor({
      runId: options.runId,
      clock: options.clock,
      concurrentCalls: this.#limits.concurrentCalls,
      isOver: () => this.#closed,
      isResting: () => this.#gateClosed(),
      put: (row) => this.#put(row),
      begun: ({ kind }) => {
        if (kind === "model") this.#storage(() => this.#store.commit());
      },
      earlier: (key) => this.#storage(() => this.#modelRanks.of(key)) ?? 0,
      fail: (error) => this.fail(error),
      retrying: (key, failed) => this.#observer.retrying?.(key, failed),
      forgetBelow: (key) => this.#forgetBelow(key),
    });
    this.#ended = new Promise((resolve) => (this.#end = resolve));
    this.#plan = ReplayPlan.of(options.store);
    this.#results = new HandOut({
      plan: this.#plan,
      isOver: () => this.#closed,
      isInsideCall: (key, enclosing) => this.#isInsideCall(key, enclosing),
      onIdle: () => this.#checkQuiet(),
    });
    this.#recorded = new Set(this.#plan.recorded);
    this.#seq = options.store.lastSeq();
    this.#steps = this.#recorded.size;
    this.#usage = options.store.usage();
  }

  /** Keys of the steps that were under way when the last drive ended. */
  get unfinished(): readonly string[] {
    return this.#plan.unfinished.map((row) => row.key);
  }

  /** What all model calls of the run have consumed, earlier drives included. */
  get usage(): Usage {
    return this.#usage;
  }

  get clock(): Clock {
    return this.#clock;
  }

  /** True once the drive is over: what its code still does must leave no trace (J10). */
  get ended(): boolean {
    return this.#closed;
  }

  /** How many steps with a label were begun before the step of this key. Reads the record from its beginning. */
  begunBefore(key: string, label: string): number {
    let count = 0;
    for (const row of allRows(this.#store)) {
      if (row.key === key) break;
      if (row.label === label) count++;
    }
    return count;
  }

  /**
   * What was read at places of this name, anywhere in the run, the first one first; a second reading at one place has a number behind
   * the name. Reads the record from its beginning.
   */
  readings(name: string): readonly JsonValue[] {
    const isNamed = (key: string): boolean => {
      const last = key.slice(key.lastIndexOf("/") + 1);
      return last === name || last.startsWith(`${name}~`);
    };
    const values: JsonValue[] = [];
    this.#storage(() => {
      for (const { kind, key } of allRows(this.#store)) {
        if (kind === "value" && isNamed(key))
          values.push(decode(this.#store.get(key)?.value ?? null) as JsonValue);
      }
    });
    return values;
  }

  /** The keys of the finished steps directly below one. */
  finishedBelow(key: string): readonly string[] {
    const below = [...this.#recorded].filter(
      (each) => each.startsWith(`${key}/`) && !each.includes("/", key.length + 1),
    );
    return below.filter((each) => this.#storage(() => this.#store.get(each))?.endedSeq != null);
  }

  /** Runs the program over the record until it ends, waits, or is stopped. Never rejects; once per journal. */
  drive(program: (root: Activity) => Promise<JsonValue>): Promise<DriveResult> {
    this.#count.start(this.#root);
    for (const { key } of this.#plan.unwanted) this.#withdraw(key);
    const ended = (result: DriveResult): void => {
      // What was asked for and not waited for is no mismatch: a wait may be answered after the code has gone past it.
      const missing = this.#results.unasked();
      const how =
        result.state === "failed"
          ? `the code failed before it asked for it (${result.error.message})`
          : "the code ended without asking for it";
      this.#finish(missing === undefined ? result : misfit(missing, how));
    };
    Promise.resolve()
      .then(() => program(this.#root))
      .then(
        (value) => ended({ state: "completed", value }),
        (error: unknown) =>
          PlatformFault.is(error)
            ? this.fail(error)
            : ended({ state: "failed", error: toErrorRecord(error) }),
      );
    return this.#ended;
  }

  /** Ends the drive where it stands; every call under way is aborted. */
  stop(): void {
    this.#finish({ state: "stopped" });
  }

  /** Ends the drive for good with an error of ours, or undecided with one of the storage's (J11). */
  fail(error: unknown): void {
    this.#finish(
      EngineError.is(error)
        ? { state: "failed", error: error.toRecord() }
        : { state: "interrupted", cause: error },
    );
  }

  /** Ends the drive before anything new happens: the run's code, or this step of it, does not fit the record (J7). */
  hold(held: Omit<HeldDrive, "state">): void {
    this.#finish({ state: "held", ...held });
  }

  /** No further step starts; the drive ends as `paused` when those under way are through. */
  pause(): void {
    this.#gate = "paused";
    this.#executor.wake();
  }

  /** Performs `spec.run` once and for all under `key`, or hands out what an earlier drive recorded. */
  step<T>(parent: Activity, key: string, spec: StepSpec<T>): Promise<T> {
    if (this.#closed) return never();
    let row: StepRecord | undefined | "closed";
    try {
      row = this.#claim(key, spec.kind);
    } catch (error) {
      return Promise.reject(error);
    }
    if (row === "closed") return never();
    if (row?.state === "done" || row?.state === "error") {
      if (isOtherInput(row, spec)) this.#observer.changed?.(row);
      return this.#closed ? never() : this.#replay<T>(parent, row);
    }
    return this.#perform(parent, key, { spec, previous: row });
  }

  /** A reading without waiting: taken once, the same in every replay. */
  reading<T extends JsonValue>(parent: Activity, key: string, read: () => T): T {
    const row = this.#closed ? undefined : this.#claim(key, "value");
    if (row === "closed" || this.#closed) return read();
    if (row !== undefined) return decode(row.value) as T;
    const value = read();
    if (!this.#admit(key)) return value;
    const now = this.#clock.now();
    this.#put({
      ...newRow(key, "value", {
        parent: parent.key,
        startedSeq: ++this.#seq,
        startedAtMs: now,
      }),
      endedSeq: ++this.#seq,
      endedAtMs: now,
      state: "done",
      value: JSON.stringify(value),
    });
    return value;
  }

  /** Parks until `settle(key)`, or until the request's due time. `together` puts it on record with others. */
  async wait<T>(
    parent: Activity,
    key: string,
    { request, together }: { request: WaitRequest; together?: WaitsTogether },
  ): Promise<T> {
    if (this.#closed) return never();
    const row = this.#claim(key, "wait");
    if (row === "closed") return never();
    if (row !== undefined) together?.skip();
    if (row?.state === "done" || row?.state === "error") return this.#replay<T>(parent, row);
    const activity = this.#count.open(parent, key);
    if (row === undefined) {
      if (!this.#plan.isReplayed) await this.#replayed();
      if (!this.#mayStart() || !this.#admit(key)) return never();
      const opened: StepRecord = {
        ...newRow(key, "wait", {
          parent: parent.key,
          startedSeq: ++this.#seq,
          startedAtMs: this.#clock.now(),
        }),
        state: "waiting",
        wait: request,
      };
      if (together === undefined) this.#put(opened);
      else await together.add(opened, (write) => void (this.#closed || this.#storage(write)));
      if (this.#closed) return never();
      this.#recorded.add(key);
    }
    const wait = row?.wait ?? request;
    this.#observer.parked?.(key, wait);
    if (this.#closed) return never();
    return new Promise<T>((resolve, reject) => {
      const deliver = (): void => this.#handOut(activity, { key, resolve, reject });
      const cancelTimer = this.#startTimer(key, wait);
      this.#parked.set(key, { deliver, cancelTimer });
      this.#checkQuiet();
    });
  }

  /** Answers an open wait; false when there is none under this key. The first answer wins. Throws when storage gives way. */
  settle(key: string, answer: Answer): boolean {
    if (this.#closed) return false;
    try {
      if (!settleWait(this.#store, key, { answer, seq: this.#seq + 1, atMs: this.#clock.now() }))
        return false;
    } catch (cause) {
      this.#finish({ state: "interrupted", cause });
      throw cause;
    }
    this.#seq++;
    if (answer.usage !== undefined) this.#usage = addUsage(this.#usage, answer.usage);
    const parked = this.#parked.get(key);
    if (parked !== undefined) {
      this.#parked.delete(key);
      parked.cancelTimer?.();
      this.#results.settled(this.#seq, parked.deliver);
    }
    return true;
  }

  /** Serves a wait that falls due while the drive goes on; its owner's alarm serves all others. */
  #startTimer(key: string, wait: WaitRequest): (() => void) | undefined {
    if (wait.dueAtMs === undefined) return undefined;
    const delayMs = Math.max(0, wait.dueAtMs - this.#clock.now());
    if (delayMs > MAX_TIMER_MS) return undefined;
    return this.#clock.after(delayMs, () => {
      if (this.#closed) return;
      const answer = expiredAnswer(key, wait);
      this.#storage(() =>
        this.#observer.due === undefined
          ? this.settle(key, answer)
          : this.#observer.due(key, answer),
      );
    });
  }

  /** Marks a key as used in this drive, and reads its row. */
  #claim(key: string, kind: StepKind): StepRecord | undefined | "closed" {
    if (this.#claimed.has(key)) {
      throw new EngineError(
        "invalid_definition",
        `two steps of this run have the key ${key}: give one of them another name`,
      );
    }
    this.#claimed.add(key);
    // Most steps are new, and a look into the store costs as much as a write.
    if (!this.#recorded.has(key)) return this.#closed ? "closed" : undefined;
    if (this.#plan.asked(key)) this.#results.goOn();
    const row = this.#storage(() => this.#store.get(key));
    if (this.#closed) return "closed";
    if (row !== undefined && row.kind !== kind) {
      this.#finish(misfit(key, `it was a ${row.kind} and is a ${kind} now`));
      return "closed";
    }
    return row;
  }

  #replay<T>(parent: Activity, row: StepRecord): Promise<T> {
    const activity = this.#count.open(parent, row.key);
    return new Promise<T>((resolve, reject) => {
      this.#results.replay(row, () => this.#handOut(activity, { key: row.key, resolve, reject }));
    });
  }

  #handOut(
    activity: Activity,
    to: { key: string; resolve: (value: never) => void; reject: (error: Error) => void },
  ): void {
    const row = this.#storage(() => this.#store.get(to.key));
    if (this.#closed || row === undefined) return;
    this.#count.close(activity);
    if (row.error !== null) to.reject(EngineError.fromRecord(row.error));
    else to.resolve(decode(row.value) as never);
  }

  async #perform<T>(
    parent: Activity,
    key: string,
    work: { spec: StepSpec<T>; previous: StepRecord | undefined },
  ): Promise<T> {
    const { spec, previous } = work;
    const activity = this.#count.open(parent, key);
    if (!isEntered(previous) && !this.#plan.encloses(key)) {
      if (!this.#plan.isReplayed) await this.#replayed();
      if (!this.#mayStart()) return never();
    } else if (previous !== undefined && holdsSteps(spec.kind)) {
      const entry = this.#results.entry(previous);
      if (entry !== undefined) await entry;
      if (this.#closed) return never();
    }
    this.#count.start(activity);
    let slot = this.#executor.tryTakeSlot(spec.kind);
    if (slot === undefined) {
      slot = await this.#executor.waitForSlot();
      if (!this.#closed && this.#gateClosed()) {
        slot.release();
        return this.#rest(activity);
      }
    }
    if (this.#closed) return never();
    if (previous === undefined && !this.#admit(key)) return never();

    const call = !holdsSteps(spec.kind);
    const crashed = call && previous?.state === "started";
    const interrupted = (previous?.interrupted ?? 0) + (crashed ? 1 : 0);
    const cutWeight =
      (previous?.cutWeight ?? previous?.interrupted ?? 0) +
      (crashed ? this.#interruptionWeight : 0);
    let row = this.#startedRow(parent, key, work);
    if (crashed)
      row = { ...row, interrupted, ...(cutWeight === interrupted ? undefined : { cutWeight }) };
    if (crashed && cutWeight >= this.#limits.maxInterruptions) {
      return this.#give(
        "crash_budget_exceeded",
        `step ${key} was cut off by a crash ${Math.ceil(cutWeight)} times and is not tried again`,
      );
    }
    let end: { readonly row: StepRecord; readonly result: StepResult<T> } | "rests";
    if (crashed && spec.effect === "once") {
      this.#plan.leaveOutBelow(key);
      this.#results.goOn();
      const unknown = `step ${key} may run only once and was cut off: whether it took effect is unknown`;
      end = { row, result: { error: new EngineError("outcome_unknown", unknown) } };
    } else {
      if (crashed) row = { ...row, attempt: row.attempt + 1 };
      if (call || previous === undefined) this.#put(row, { commits: false });
      if (crashed && !this.#closed) this.#observer.restarted?.(key, row.attempt);
      // Its code runs next, and may do anything (J1). A call of a model first says that it begins: see `begun`.
      if (call && spec.kind !== "model" && !this.#closed) await this.#stored();
      if (this.#closed) return never();
      end = await this.#executor.execute({ activity, row, spec, slot });
      if (this.#closed) return never();
      if (end === "rests") return this.#rest(activity);
    }

    const dropped = call ? this.#leaveOutBelow(key, end.result) : NONE;
    const missing = this.#results.unasked(key);
    if (missing !== undefined) {
      this.#finish(misfit(missing, `${key} ended without asking for it`));
      return never();
    }
    const turn = this.#results.turn();
    if (turn !== undefined) await turn;
    if (this.#closed) return never();
    const finished = this.#record(activity, { ...end, dropped }, spec);
    return this.#closed ? never() : outcomeOf(finished, end.result, spec);
  }

  /** The row of a step whose action is about to run. */
  #startedRow<T>(
    parent: Activity,
    key: string,
    { spec, previous }: { spec: StepSpec<T>; previous: StepRecord | undefined },
  ): StepRecord {
    const { kind, label, mark } = spec;
    const inputHash = spec.inputHash ?? null;
    const call = spec.call?.();
    if (previous !== undefined) {
      const again: StepRecord = { ...previous, state: "started", inputHash, error: null };
      return call === undefined ? again : { ...again, call };
    }
    return newRow(key, kind, {
      parent: parent.key,
      label,
      mark: typeof mark === "string" ? mark : null,
      inputHash,
      call,
      startedSeq: ++this.#seq,
      startedAtMs: this.#clock.now(),
    });
  }

  /** Records how a step ended, so that the code that asked for it can go on. */
  #record<T>(
    activity: Activity,
    {
      row,
      result,
      dropped,
    }: {
      readonly row: StepRecord;
      readonly result: StepResult<T>;
      /** What it had asked for before, and did not ask for now. */
      readonly dropped: readonly string[];
    },
    spec: StepSpec<T>,
  ): StepRecord {
    const finished = finishedRow(row, result, {
      spec,
      maxLength: this.#limits.maxValueLength,
      endedSeq: ++this.#seq,
      endedAtMs: this.#clock.now(),
      rowOf: (at) => this.#store.get(at),
    });
    this.#put(finished);
    this.#withdrawBelow(row.key, dropped);
    if (this.#closed) return finished;
    if (finished.usage !== null) this.#usage = addUsage(this.#usage, finished.usage);
    this.#count.close(activity);
    this.#observer.recorded?.(row.key);
    const othersBusy = this.#count.busy - (activity.parent?.busy ? 1 : 0);
    if (othersBusy > 0 || this.#results.hasTurns) this.#results.goOn();
    else this.#checkQuiet();
    return finished;
  }

  /** Whether a call that was asked for and has not ended encloses the step; with `enclosing`, one inside that. */
  #isInsideCall(key: string, enclosing?: string): boolean {
    for (const path of ancestors(key)) {
      if (path === enclosing) return false;
      const row = this.#claimed.has(path) ? this.#storage(() => this.#store.get(path)) : undefined;
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

  /** A call that runs again may end before it asks for what it had asked for, and may fail anywhere. */
  #leaveOutBelow(key: string, result: StepResult<unknown>): readonly string[] {
    if (this.#plan.isReplayed) return NONE;
    const dropped = this.#plan.leaveOutOpenBelow(key);
    if ("error" in result) this.#plan.leaveOutBelow(key);
    this.#results.goOn();
    return dropped;
  }

  /** Resolves when the record is replayed. */
  #replayed(): Promise<void> {
    this.#checkQuiet();
    return this.#results.replayed();
  }

  /** False when this drive starts no step any more. */
  #mayStart(): boolean {
    if (this.#closed) return false;
    if (!this.#gateClosed()) return true;
    this.#checkQuiet();
    return false;
  }

  /** Ends the waits that are open below a step that has ended, children's excepted: their code gets no answer. */
  #withdrawBelow(key: string, unasked: readonly string[]): void {
    if (this.#parked.size === 0 && unasked.length === 0) return;
    const below = [...this.#parked.keys()].filter((parked) => parked.startsWith(`${key}/`));
    for (const open of [...below, ...unasked]) {
      const row = this.#storage(() => this.#store.get(open));
      if (row === undefined || row.state !== "waiting" || !isTakenBack(row)) continue;
      this.#parked.get(open)?.cancelTimer?.();
      this.#parked.delete(open);
      this.#withdraw(open);
    }
  }

  /** Awaits what is neither a step nor the code of one; meanwhile the drive is not quiet. */
  async during<T>(work: Promise<T>): Promise<T> {
    const release = this.#count.hold();
    try {
      return await work;
    } finally {
      release();
      this.#checkQuiet();
    }
  }

  #withdraw(key: string): void {
    const error = failure("wait_expired", `the step that asked has ended without ${key}`);
    this.#storage(() =>
      this.#observer.withdrawn === undefined
        ? this.settle(key, { error })
        : this.#observer.withdrawn(key, { error }),
    );
  }

  /** Frees the names of the steps that a failed execution made: the next one finds them on record. */
  #forgetBelow(key: string): void {
    for (const claimed of this.#claimed)
      if (claimed.startsWith(`${key}/`)) this.#claimed.delete(claimed);
  }

  /** For a step that is not to begin, or to begin again, in this drive. */
  #rest(activity: Activity): Promise<never> {
    this.#count.rest(activity);
    this.#checkQuiet();
    return never();
  }

  /** Counts a new row; false when it is one too many, which ends the drive. */
  #admit(key: string): boolean {
    if (++this.#steps <= this.#limits.maxSteps) return true;
    void this.#give(
      "limit_exceeded",
      `the run has more than ${this.#limits.maxSteps} steps; the one too many is ${key}`,
    );
    return false;
  }

  #gateClosed(): boolean {
    if (this.#gate === undefined && this.#clock.now() >= this.#yieldAtMs) this.#gate = "yielded";
    return this.#gate !== undefined;
  }

  #checkQuiet(): void {
    if (this.#quietCheckPending || this.#count.busy > 0) return;
    this.#quietCheckPending = true;
    this.#clock.after(0, () => {
      this.#quietCheckPending = false;
      if (this.#closed || this.#count.busy > 0 || this.#results.isSettling) return;
      const next = this.#plan.next ?? this.#plan.firstOpen();
      // A call that rests between two attempts comes back to it in another drive.
      const rests = this.#gate !== undefined && next !== undefined && this.#isInsideCall(next);
      if (next !== undefined && !rests)
        this.#finish(misfit(next, "the code does not ask for it any more"));
      else if (!this.#results.hasLate)
        this.#finish({ state: "parked", reason: this.#gate ?? "waiting" });
    });
  }

  #give(code: ErrorCode, message: string): Promise<never> {
    this.#finish({ state: "failed", error: failure(code, message) });
    return never();
  }

  #finish(result: DriveResult): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { cancelTimer } of this.#parked.values()) cancelTimer?.();
    for (const waiting of [this.#parked, this.#claimed, this.#results]) waiting.clear();
    this.#executor.stop();
    this.#end(result);
  }

  /** `commits`: whether a call that goes on is stored here and now (J1). @default true */
  #put(row: StepRecord, { commits = true } = {}): void {
    if (this.#closed) return;
    this.#recorded.add(row.key);
    this.#storage(() => {
      this.#store.put(row);
      if (commits && row.state === "started" && !holdsSteps(row.kind) && row.kind !== "model")
        this.#store.commit();
    });
  }

  /** Resolves when the steps that begin now are stored: those that begin side by side are one commit. */
  #stored(): Promise<void> {
    return (this.#storing ??= this.#storeTogether());
  }

  async #storeTogether(): Promise<void> {
    // oxlint-disable-next-line no-await-in-loop -- that is what is counted
    for (let turn = 0; turn < STARTING_TURNS && !this.#closed; turn++) await NOW;
    this.#storing = undefined;
    if (!this.#closed) this.#storage(() => this.#store.commit());
  }

  #storage<T>(access: () => T): T | undefined {
    try {
      return access();
    } catch (cause) {
      this.#finish({ state: "interrupted", cause });
      return undefined;
    }
  }
}

/** What the code that asked for a step is handed. Throws the step's failure. */
function outcomeOf<T>(
  { error, value }: StepRecord,
  result: StepResult<T>,
  { kind }: StepSpec<T>,
): T {
  // What users hand us is given back as replay will give it: a Date as its text, without what JSON leaves out.
  if (error === null && kind === "effect") return decode(value) as T;
  if (error === null && "value" in result) return result.value;
  if ("error" in result && EngineError.is(result.error)) throw result.error;
  throw EngineError.fromRecord(
    error ?? { code: "internal", message: "no result", retryable: false },
  );
}

function isOtherInput<T>(row: StepRecord, { inputHash }: StepSpec<T>): boolean {
  return inputHash !== undefined && row.inputHash !== null && row.inputHash !== inputHash;
}

function never(): Promise<never> {
  return new Promise(() => {});
}
