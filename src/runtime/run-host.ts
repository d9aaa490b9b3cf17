// Run host: the life of one run, wherever its store and its alarm are.
//
//   H1. Starting is one transaction; a second start with the same id answers the first run.
//   H2. The crash budget is read and written before anything else of the run is: a run that kills its host in every
//       drive ends as `failed` after `MAX_CRASHES` drives without progress.
//   H3. An alarm is set before a drive begins, so that a crash is followed by another drive without anybody asking.
//   H4. `alarm()` never throws. When storage gives way nothing is decided, and the drive is repeated later.
//   H5. A waiting run has an alarm only for its next due time, a finished one only while it owes something.
//   H6. A terminal status is written once, with its event and what is owed to the outside, and never left again.
//   H7. The index is told through the outbox, never more than the run itself knows.
import type { Clock } from "../base/clock.ts";
import { isoTime } from "../base/clock.ts";
import { EngineError, errorMessage, type ErrorRecord } from "../base/error.ts";
import { NO_USAGE } from "../base/usage.ts";
import type { ChildOpening, ChildPort } from "../events/child-port.ts";
import type { EventPlace, EventSubscriber } from "../events/event-log.ts";
import type { EventPayloads, EventType, RunEvent } from "../events/run-event.ts";
import { RunScope, type RunEnvironment } from "../events/run-scope.ts";
import { type Answer, type DriveResult, type JournalLimits } from "../journal/step-spec.ts";
import { expiredAnswer, settleWait } from "../journal/settle-wait.ts";
import { Journal } from "../journal/journal.ts";
import type { StepRecord } from "../journal/journal-store.ts";
import type { ChildReport } from "./child-run.ts";
import { ChildRuns, inLots } from "./child-runs.ts";
import type { OutboxSink } from "./outbox.ts";
import type { EventReceipt, OutsideEvent, OutsideEvents } from "./outside-events.ts";
import { answerOf, pickWait } from "./resume.ts";
import type { Checkpoint } from "./checkpoints.ts";
import type { ForkPoint, Page } from "./run-directory.ts";
import type { ResumeRequest } from "./run-handle.ts";
import type { RunProgram } from "./run-program.ts";
import { RunLedger } from "./run-ledger.ts";
import type { ExportedRun } from "./export-run.ts";
import { RunAudience, type AudiencePorts } from "./run-audience.ts";
import { EarlyPayments } from "./early-payments.ts";
import { keptOutput } from "./run-output.ts";
import { isAsked, RunReader } from "./run-reader.ts";
import type { RunStore } from "./run-store.ts";
import {
  isDrivable,
  isTerminal,
  START_VALUES,
  type Run,
  type RunRecord,
  type RunStart,
  type Step,
} from "./run.ts";

/** Drives in a row that may be cut off by a crash without progress. */
export const MAX_CRASHES = 5;

/** How long one drive may go on before it yields; the platform ends it after 15 minutes. */
const DRIVE_BUDGET_MS = 8 * 60_000;
/** A due alarm waits for the end of the drive that is under way, so a short one costs nothing. */
const WATCHDOG_MS = 1_000;
/** A run that is through by then is told to the index once, as ended: each telling is a write to a database elsewhere. */
const INDEX_DELAY_MS = 1_000;
const REDRIVE_AFTER_FAULT_MS = 2_000;
const MAX_REDRIVE_DELAY_MS = 5 * 60_000;
/** When an alarm comes back to listeners that were not through. */
const LISTENERS_AGAIN_MS = 2_000;
/** How far an alarm may be from what is due before it counts as lost. */
const ALARM_SLACK_MS = 60_000;

/** The one wake-up call of a run. */
export interface AlarmSlot {
  get(): Promise<number | null>;
  set(atMs: number): Promise<void>;
  delete(): Promise<void>;
}

export type RunHostPorts = AudiencePorts & {
  readonly alarm: AlarmSlot;
  /** Finds what the run runs; throws `not_found` when the definition is gone. */
  readonly program: (start: RunStart) => RunProgram;
  readonly outbox: OutboxSink;
  readonly models: RunEnvironment["models"];
  /** What the run can use beside models. */
  readonly services?: (start: RunStart) => RunEnvironment["services"];
  readonly limits?: Partial<JournalLimits>;
};

export class RunHost {
  readonly #ports: RunHostPorts;
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #ledger: RunLedger;
  readonly #read: RunReader;
  #journal: Journal | undefined;
  /** An answer came when the drive was over and its end not yet concluded: it has to be driven on. */
  #answeredAfterDrive = false;
  #serving: Promise<void> | undefined;
  readonly #children: ChildRuns;
  readonly #payments: EarlyPayments;
  #askedUntold = false;
  readonly #audience: RunAudience;
  #outside: OutsideEvents | undefined;
  /** Times in a row that the storage or the platform gave way to this host. */
  #faults = 0;

  constructor(ports: RunHostPorts) {
    this.#ports = ports;
    this.#store = ports.store;
    this.#clock = ports.clock;
    this.#read = new RunReader(ports.store, ports.program);
    this.#ledger = new RunLedger(ports.store, this.#read, ports);
    this.#ledger.onUndispatched = (children) => this.#failUndispatched(children);
    this.#ledger.onWanted = () => this.#payments.payBy(this.#clock.now());
    this.#ledger.onWebhooksTold = () => void this.#planWebhooks().catch(() => undefined);
    this.#children = new ChildRuns(ports.store, this.#read);
    this.#audience = new RunAudience(ports, this.#read, this.#ledger);
    this.#payments = new EarlyPayments(
      this.#ledger,
      this.#clock,
      () => this.#serving && this.#planWebhooks(),
    );
  }

  readonly #childPort: ChildPort = {
    open: (openings, rows) => this.#openChildren(openings, rows),
  };

  /** Starts the run; with an id that is in use, answers that run. `adopt` is the record that a fork takes over. */
  async start(start: RunStart, adopt: readonly StepRecord[] = []): Promise<Run> {
    await this.begin(start, adopt);
    return this.status();
  }

  /** As `start`, and tells nothing of the run. Throws `conflict` for a child whose id another run has. */
  async begin(start: RunStart, adopt: readonly StepRecord[] = []): Promise<void> {
    const existing = this.#store.load();
    if (existing !== undefined) {
      if (start.parent !== undefined && existing.parent?.id !== start.parent.id)
        throw new EngineError("conflict", `run ${start.id} exists and is no child of this parent`);
      await this.#ensureDriven(existing);
      return;
    }
    await this.#wakeFor(() =>
      this.#store.transaction(() => {
        const { id, tenant, kind, name, parent, maxOutputLength } = start;
        for (const field of START_VALUES) {
          if (start[field] !== undefined) this.#store.setValue(field, JSON.stringify(start[field]));
        }
        for (const row of adopt) this.#store.journal.put(row);
        const adoptedSeq = adopt.reduce((seq, row) => Math.max(seq, row.endedSeq ?? 0), 0);
        if (adoptedSeq > 0) this.#store.setValue("adoptedSeq", String(adoptedSeq));
        const blank = {
          paused: false,
          error: null,
          startedAtMs: null,
          finishedAtMs: null,
          crashes: 0,
          driving: false,
        };
        this.#ledger.change({
          id,
          tenant,
          kind,
          name,
          status: "queued",
          createdAtMs: this.#clock.now(),
          version: 0,
          ...blank,
          ...(parent === undefined ? undefined : { parent }),
          ...(maxOutputLength === undefined ? undefined : { maxOutputLength }),
        });
      }),
    );
  }

  /** See `ChildRuns.starts`. Throws `not_found` for a run that was never started. */
  childStarts(runIds: readonly string[]): ReadonlyArray<RunStart | undefined> {
    return this.#children.starts(runIds);
  }

  /** Hears that children have begun, or are not to: from here on they are nobody's to dispatch. */
  async childrenBegun(runIds: readonly string[]): Promise<void> {
    this.#read.record();
    this.#ledger.begun(runIds);
    if (this.#serving === undefined) await this.#scheduleNext();
  }

  /** Takes a child's report; what nobody waits for any more changes nothing. Throws `not_found` as above. */
  async childEnded(report: ChildReport): Promise<void> {
    const record = this.#read.record();
    if (isTerminal(record.status)) return;
    const answers = this.#children.answers(report);
    if (answers.length === 0) return;
    const driven = this.#journal !== undefined;
    const wakes = driven || this.#children.wakes(answers);
    const settle = (): void =>
      this.#settling(() => {
        for (const { key, answer } of answers) this.#settle(key, answer, { by: report.runId });
        if (wakes) this.#goOn();
      });
    if (wakes) await this.#wakeFor(settle);
    else settle();
  }

  #openChildren(openings: readonly ChildOpening[], rows: readonly StepRecord[]): void {
    this.#ledger.transaction(() => {
      for (const row of rows) this.#store.journal.put(row);
      for (const opening of openings) this.#children.keep(opening);
      const lots = inLots(openings.map(({ runId }) => runId));
      for (const lot of lots) this.#ledger.oweChildren("dispatch", lot);
      const record = this.#read.record();
      if (record.hasChildren !== true) this.#store.save({ ...record, hasChildren: true });
    });
    // The drive may go on for long, and the children need not wait for its end.
    this.#payments.payNext();
  }

  /** Has the index hear of a question while the drive goes on; a drive that ends with it tells of it anyway. */
  #tellAsked(): void {
    const record = this.#read.record();
    if (record.hasAsked !== true) this.#store.save({ ...record, hasAsked: true });
    if (this.#askedUntold) return;
    this.#askedUntold = true;
    this.#clock.after(0, () => {
      this.#askedUntold = false;
      if (this.#journal === undefined) return;
      try {
        this.#ledger.change(this.#read.record());
        this.#payments.payBy(this.#clock.now());
      } catch (error) {
        this.#journal.fail(error);
      }
    });
  }

  /** Webhooks were delivered or put off: what is due next may have changed. */
  async #planWebhooks(): Promise<void> {
    if (this.#serving === undefined) return this.#scheduleNext();
    // The alarm waits for the end of the drive, and is set anew then.
    const webhooks = this.#store.outbox().filter(({ id }) => id.startsWith("webhook:"));
    const due = webhooks.map(({ dueAtMs }) => dueAtMs);
    if (due.length > 0) this.#payments.payBy(Math.min(...due));
  }

  #failUndispatched(children: readonly string[]): void {
    const message = "the run could not be started: its dispatch failed again and again";
    const error: ErrorRecord = { code: "unavailable", message, retryable: false };
    for (const runId of children)
      void this.childEnded({ runId, status: "failed", error, usage: NO_USAGE }).catch(
        () => undefined,
      );
  }

  /** Serves whatever is due: drives the run, settles timers, delivers what is owed. Never throws (H4); twice at once is once. */
  alarm(): Promise<void> {
    this.#serving ??= this.#serveAlarm().finally(() => (this.#serving = undefined));
    return this.#serving;
  }

  async #serveAlarm(): Promise<void> {
    try {
      const record = this.#store.load();
      if (record === undefined) return;
      if (!isTerminal(record.status)) await this.#serve(record);
      this.#faults = 0;
      await this.#payments.underWay;
      await this.#ledger.flush();
      if (!this.#audience.isEmpty) await this.#audience.attend();
      this.#payments.cancel();
      await this.#scheduleNext();
    } catch {
      const delayMs = Math.min(MAX_REDRIVE_DELAY_MS, REDRIVE_AFTER_FAULT_MS * 2 ** this.#faults++);
      await this.#ports.alarm.set(this.#clock.now() + delayMs).catch(() => undefined);
    }
  }

  /** Sets the alarm of a run that should have one and lost it; false when there is no run. Cheap when all is well. */
  async poke(): Promise<boolean> {
    const record = this.#store.load();
    if (record !== undefined) await this.#ensureDriven(record);
    return record !== undefined;
  }

  /** Also sees to it that a run which should go on does. */
  async status(): Promise<Run> {
    const record = this.#read.record();
    await this.#ensureDriven(record);
    return this.#read.view(this.#read.record(), this.#journal?.usage);
  }

  /** True while only an answer or a timer can move the run. */
  get isWaiting(): boolean {
    return this.#read.record().status === "waiting";
  }

  /** Takes an event for code that waits for it, or will: `conflict` for a run that does neither; see `OutsideEvents.taken`. */
  async sendEvent(event: OutsideEvent): Promise<EventReceipt> {
    const { id, status } = this.#read.record();
    const outside = isTerminal(status) ? undefined : this.#outsideEvents();
    if (outside === undefined)
      throw new EngineError("conflict", `run ${id} is ${status} and waits for no event`);
    const { receipt, apply } = outside.taken(event);
    if (receipt.outcome === "delivered") await this.#wakeFor(apply);
    else apply();
    return receipt;
  }

  /** Undefined where the program waits for none, or is gone. */
  #outsideEvents(): OutsideEvents | undefined {
    return (this.#outside ??= this.#read.programNow()?.outsideEvents?.({
      store: this.#store,
      settling: (change) => this.#settling(change),
      settle: (key, value) => {
        const settled = this.#settle(key, { value }, {});
        if (settled) this.#goOn();
        return settled;
      },
      emit: (type, payload, nth) => void this.#ledger.emit(type, payload, nth),
    }));
  }

  /** As soon as the wait that has just opened can be ended. What this misses is done when the drive is concluded. */
  #offerSoon(): void {
    this.#clock.after(0, () => {
      try {
        if (this.#journal !== undefined) this.#outsideEvents()?.offerKept();
      } catch (error) {
        this.#journal?.fail(error);
      }
    });
  }

  /** Answers an open wait: `conflict` when none is open, or none of that key; `invalid_input` when the answer does not fit. */
  async resume(request: ResumeRequest, by = request.by): Promise<Run> {
    const record = this.#read.record();
    if (isTerminal(record.status))
      throw new EngineError(
        "conflict",
        `run ${record.id} is ${record.status} and waits for nothing`,
      );
    const wait = pickWait(this.#store.journal.waits(), request.key, record.id);
    const answer = { value: answerOf(wait, request) };
    await this.#wakeFor(() =>
      this.#settling(() => {
        if (this.#settle(wait.key, answer, by === undefined ? {} : { by })) this.#goOn();
      }),
    );
    return this.status();
  }

  /** Ends the run now: calls under way are aborted, what they still bring changes nothing. */
  async cancel(reason?: string): Promise<Run> {
    const record = this.#read.record();
    if (record.status === "cancelled") return this.status();
    if (isTerminal(record.status))
      throw new EngineError(
        "conflict",
        `run ${record.id} is ${record.status} and cannot be cancelled`,
      );
    const message =
      reason === undefined ? "the run was cancelled" : `the run was cancelled: ${reason}`;
    await this.#wakeFor(() => {
      this.#terminate(
        { status: "cancelled", error: { code: "run_cancelled", message, retryable: false } },
        () => this.#ledger.emit("run_cancelled", reason === undefined ? {} : { reason }),
      );
      this.#journal?.stop();
    });
    return this.status();
  }

  /** Lets the steps under way end and starts no more, until `unpause`. */
  async pause(): Promise<Run> {
    const record = this.#read.record();
    if (isTerminal(record.status))
      throw new EngineError(
        "conflict",
        `run ${record.id} is ${record.status} and cannot be paused`,
      );
    if (!record.paused) {
      await this.#wakeFor(() => {
        this.#ledger.transaction(() => {
          this.#ledger.change({
            ...record,
            paused: true,
            status: this.#journal === undefined ? "waiting" : record.status,
          });
          this.#ledger.emit("run_paused", {}, record.version);
        });
        this.#journal?.pause();
      });
    }
    return this.status();
  }

  async unpause(): Promise<Run> {
    const record = this.#read.record();
    if (!record.paused)
      throw new EngineError("conflict", `run ${record.id} is ${record.status} and not paused`);
    await this.#wakeFor(() =>
      this.#ledger.transaction(() => {
        this.#ledger.change({ ...record, paused: false, status: "running" });
        this.#ledger.emit("run_resumed", {}, record.version);
      }),
    );
    return this.status();
  }

  /** When the next open wait falls due, in milliseconds since the epoch; undefined when none does. */
  get nextWaitDueMs(): number | undefined {
    const due = this.#read.waitsDueMs();
    return due.length === 0 ? undefined : Math.min(...due);
  }

  /** See `RunReader.steps`. */
  steps(options: { cursor?: string | undefined; limit: number; values: boolean }): Page<Step> {
    return this.#read.steps(options);
  }

  /** See `RunReader.export`. */
  export(): ExportedRun {
    return this.#read.export(this.#clock.now(), this.#journal?.usage);
  }

  /** See `RunReader.recordBefore`. */
  recordBefore(point: ForkPoint): ReturnType<RunReader["recordBefore"]> {
    return this.#read.recordBefore(point);
  }

  /** See `RunReader.checkpoints`. */
  checkpoints(options: { values: boolean }): readonly Checkpoint[] {
    return this.#read.checkpoints(options);
  }

  /** Forgets a finished run whole; `conflict` for one that is not finished. */
  async forget(): Promise<void> {
    const { id, status } = this.#read.record();
    if (!isTerminal(status))
      throw new EngineError("conflict", `run ${id} is ${status}: cancel it before it is deleted`);
    await this.#ledger.flush();
    await this.#ports.alarm.delete();
    this.#audience.dismiss();
    this.#store.clear();
    this.#ledger.forget();
  }

  /** Resolves when listeners have handled everything so far, at the latest after the time that one handler has. */
  async flushListeners(): Promise<void> {
    await this.#audience.flush();
  }

  /** True when a listener who has heard everything up to `seq` will hear nothing more. */
  hasToldAll(seq: number): boolean {
    const log = this.#ledger.events;
    return log.ended && seq >= log.lastSeq;
  }

  /** Kept events with `seq` above `afterSeq`. */
  readEvents(afterSeq: number, limit: number): readonly RunEvent[] {
    this.#read.record();
    return this.#store.events.read(afterSeq, limit);
  }

  /** Hears events from now on, until the returned function is called. */
  subscribe(subscriber: EventSubscriber): () => void {
    return this.#ledger.events.subscribe(subscriber);
  }

  /**
   * Resolves when the run is finished or waits, at once if it already does, and in any case after `timeoutMs`. A run that
   * waits only for its children gets on by itself, and is waited for.
   */
  async settled(timeoutMs: number): Promise<Run> {
    const deadline = this.#clock.now() + timeoutMs;
    for (;;) {
      const { status } = this.#read.record();
      const left = deadline - this.#clock.now();
      const waits = status === "waiting" && !this.#waitsForChildrenOnly();
      if (isTerminal(status) || waits || left <= 0) return this.status();
      await this.#ledger.changed(left);
    }
  }

  #waitsForChildrenOnly(): boolean {
    const { hasChildren, paused } = this.#read.record();
    if (hasChildren !== true || paused) return false;
    const waits = this.#store.journal.waits();
    return waits.length > 0 && waits.every(({ wait }) => wait?.kind === "child");
  }

  /** Resolves at the next change of status or wait, or after `timeoutMs`. */
  changed(timeoutMs?: number): Promise<void> {
    return this.#ledger.changed(timeoutMs);
  }

  /** Tells the index anew, as after the loss of its database; false when there is no run. */
  async reindex(): Promise<boolean> {
    const record = this.#store.load();
    if (record === undefined) return false;
    this.#ledger.owe(record);
    await this.#ledger.flush();
    await this.#scheduleNext();
    return true;
  }

  async #serve(record: RunRecord): Promise<void> {
    if (record.paused && record.status !== "waiting") {
      // A crash came between the pause and the end of the drive.
      this.#ledger.change({ ...record, status: "waiting", driving: false });
      record = this.#read.record();
    }
    if (!isDrivable(record)) {
      if (!this.#settleDue()) return;
      record = this.#read.record();
    }
    // A drive that this host itself gave up on for a fault of the storage has not crashed.
    const crashes = record.driving && this.#faults === 0 ? record.crashes + 1 : record.crashes;
    if (crashes >= MAX_CRASHES) {
      const message = `the run crashed ${crashes} times in a row without getting on; the last crash was before or during: ${this.#read.unfinishedKeys()}`;
      return this.#endFailed({ code: "crash_budget_exceeded", message, retryable: false });
    }
    await this.#ports.alarm.set(this.#clock.now() + WATCHDOG_MS);
    record = this.#read.record();
    if (!isDrivable(record)) return; // cancelled or paused meanwhile
    const startedAtMs = record.startedAtMs ?? this.#clock.now();
    this.#ledger.change({ ...record, status: "running", driving: true, crashes, startedAtMs });
    const tell = (): void => void this.#ledger.flush().catch(() => undefined); // tried again after the drive
    const cancelTelling = this.#clock.after(INDEX_DELAY_MS, tell);
    try {
      this.#conclude(await this.#drive());
    } finally {
      cancelTelling();
    }
  }

  #drive(): Promise<DriveResult> {
    const record = this.#read.record();
    const start = this.#read.start(record);
    const events = this.#ledger.events;
    let suspects: Set<string> | undefined;
    let crashed = record.crashes > 0;
    const journal = new Journal({
      runId: record.id,
      store: this.#store.journal,
      clock: this.#clock,
      ...(this.#ports.limits === undefined ? undefined : { limits: this.#ports.limits }),
      yieldAtMs: this.#clock.now() + DRIVE_BUDGET_MS,
      observer: {
        restarted: (key, attempt) =>
          this.#tell("step_restarted", { path: key, nth: attempt }, { key, attempt }),
        retrying: (key, { attempt, error, delayMs }) =>
          this.#tell(
            "step_retrying",
            { path: key, nth: attempt },
            { key, attempt, delayMs, error },
          ),
        recorded: (key) => {
          suspects?.delete(key);
          if (!crashed || suspects?.size !== 0) return;
          crashed = false;
          try {
            this.#store.save({ ...this.#read.record(), crashes: 0 });
          } catch (error) {
            journal.fail(error);
          }
        },
        parked: (key, request) => {
          const prompt = request.prompt === undefined ? {} : { prompt: request.prompt };
          const dueAt = request.dueAtMs === undefined ? {} : { dueAt: isoTime(request.dueAtMs) };
          const child = request.runId === undefined ? {} : { childRunId: request.runId };
          const told = events.lastSeq;
          if (request.kind === "event") this.#offerSoon();
          this.#tell(
            "wait_opened",
            { path: key },
            { key, kind: request.kind, ...prompt, ...dueAt, ...child },
          );
          if (!isAsked(request.kind) || events.lastSeq === told) return;
          try {
            this.#tellAsked();
          } catch (error) {
            journal.fail(error);
          }
        },
        due: (key, answer) => this.#expire(key, answer),
      },
    });
    suspects = new Set(journal.unfinished);
    this.#journal = journal;
    this.#answeredAfterDrive = false;
    this.#children.forgetCount();
    return journal.drive(async (root) => {
      const program = this.#ports.program(start);
      try {
        this.#audience.gather(program);
      } catch (error) {
        journal.fail(error);
      }
      const outermost = new RunScope(
        {
          journal,
          events,
          models: this.#ports.models,
          services: this.#ports.services?.(start) ?? {},
          repeats: new Map(),
          ...(this.#ports.outbox.dispatch === undefined
            ? undefined
            : { children: this.#childPort }),
        },
        { activity: root, path: "", parentEventId: undefined },
      );
      const scope = outermost.open("run_started", {
        kind: start.kind,
        name: start.name,
        inputs: start.inputs,
      });
      return scope.run(() => program.run(scope, start.inputs));
    });
  }

  #conclude(result: DriveResult): void {
    this.#journal = undefined;
    const record = this.#read.record();
    if (isTerminal(record.status)) return;
    const rested = { ...record, driving: false, crashes: 0 };
    switch (result.state) {
      case "completed": {
        const output = keptOutput(result.value);
        if ("fault" in output) return this.#endFailed(output.fault);
        return this.#terminate({ status: "completed", error: null }, () => {
          this.#store.setValue("output", output.json);
          this.#ledger.emit("run_completed", { output: output.shown });
        });
      }
      case "failed":
        return this.#endFailed(result.error);
      case "parked": {
        const unpaused = result.reason === "paused" && !record.paused;
        const offered = this.#outsideEvents()?.offerKept() === true;
        const answered = (this.#answeredAfterDrive || offered) && !record.paused;
        if (result.reason === "yielded" || unpaused || answered) return this.#store.save(rested);
        return this.#ledger.transaction(() => {
          this.#ledger.change({ ...rested, status: "waiting" });
          const waits = this.#store.journal.waits().map((row) => row.key);
          this.#ledger.emit("run_waiting", { waits }, record.version);
        });
      }
      case "stopped":
        return this.#store.save(rested);
      case "interrupted":
        throw new EngineError(
          "unavailable",
          `the drive was interrupted: ${errorMessage(result.cause)}`,
          { cause: result.cause },
        );
    }
  }

  #endFailed(error: ErrorRecord): void {
    this.#terminate({ status: "failed", error }, () => this.#ledger.emit("run_failed", { error }));
  }

  #terminate(end: Pick<RunRecord, "status" | "error">, alongside: () => void): void {
    this.#ledger.transaction(() => {
      alongside();
      const record = this.#read.record();
      if (record.parent !== undefined) this.#ledger.oweReport();
      if (record.hasChildren === true)
        for (const lot of this.#children.openInLots()) this.#ledger.oweChildren("cancel", lot);
      this.#ledger.change({
        ...record,
        ...end,
        paused: false,
        driving: false,
        finishedAtMs: this.#clock.now(),
      });
    });
  }

  /** Settles waits and what follows from it: all or nothing. */
  #settling(change: () => void): void {
    try {
      this.#ledger.transaction(change);
    } catch (error) {
      this.#children.forgetCount();
      this.#journal?.fail(error); // it may have heard of an answer that is not kept
      throw error;
    }
  }

  /** Settles a wait whether a drive is under way or not; false when it is not open. */
  #settle(key: string, answer: Answer, how: { by?: string; expired?: boolean }): boolean {
    const { journal } = this.#store;
    const seq = journal.lastSeq() + 1;
    const settled =
      this.#journal?.settle(key, answer) ||
      settleWait(journal, key, { answer, seq, atMs: this.#clock.now() });
    if (!settled) return false;
    this.#answeredAfterDrive = this.#journal?.ended ?? false;
    this.#ledger.events.emit("wait_settled", { path: key }, { key, ...how });
    return true;
  }

  /** Settles a wait whose time has come; a child that it is for is of no use any more. */
  #expire(key: string, answer: Answer): void {
    this.#settling(() => {
      const child = this.#store.journal.get(key)?.wait?.runId;
      if (!this.#settle(key, answer, { expired: true })) return;
      if (child !== undefined) this.#ledger.oweChildren("cancel", [child]);
      this.#goOn();
    });
  }

  /** Puts a waiting run back to work. */
  #goOn(): void {
    const record = this.#read.record();
    if (record.status !== "waiting" || record.paused) return;
    this.#ledger.change({ ...record, status: "running" });
    this.#ledger.emit("run_resumed", {}, record.version);
  }

  /** Settles the waits whose time has come; true when there were any and the run may go on. */
  #settleDue(): boolean {
    const now = this.#clock.now();
    for (const row of this.#store.journal.waits()) {
      if (row.wait?.dueAtMs === undefined || row.wait.dueAtMs > now) continue;
      this.#expire(row.key, expiredAnswer(row.key, row.wait));
    }
    return isDrivable(this.#read.record());
  }

  /**
   * Makes a change that leaves something to do. The alarm is set first, in the same turn: a crash in between costs a
   * needless wake-up instead of the run.
   */
  async #wakeFor(change: () => void): Promise<void> {
    const armed = this.#ports.alarm.set(this.#clock.now());
    try {
      change();
    } finally {
      await armed;
    }
  }

  /**
   * A time in the past is as good as none: an alarm that fired and was lost leaves it behind. So is one long after
   * what is due: the clock was set back.
   */
  async #ensureDriven(record: RunRecord): Promise<void> {
    if (this.#journal !== undefined) return;
    const due = this.#nextDueMs(record);
    if (due === undefined) return;
    const alarm = await this.#ports.alarm.get();
    const isSound =
      alarm !== null &&
      alarm >= this.#clock.now() - ALARM_SLACK_MS &&
      alarm <= due + ALARM_SLACK_MS;
    if (!isSound) await this.#ports.alarm.set(due);
  }

  async #scheduleNext(): Promise<void> {
    const due = this.#nextDueMs(this.#read.record());
    if (due === undefined) await this.#ports.alarm.delete();
    else await this.#ports.alarm.set(due);
  }

  /** When the run next has something to do; undefined when only an answer from outside can move it (H5). */
  #nextDueMs(record: RunRecord): number | undefined {
    const times: number[] = this.#store.outbox().map((entry) => entry.dueAtMs);
    if (isDrivable(record)) times.push(this.#clock.now());
    if (record.status === "waiting") times.push(...this.#read.waitsDueMs());
    if (this.#audience.isBusy) times.push(this.#clock.now() + LISTENERS_AGAIN_MS);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** As `#emit`, for what the journal reports from the midst of a drive: a failing store ends the drive (J11). */
  #tell<Type extends EventType>(type: Type, place: EventPlace, payload: EventPayloads[Type]): void {
    try {
      this.#ledger.events.emit(type, place, payload);
    } catch (error) {
      if (this.#journal === undefined) throw error;
      this.#journal.fail(error);
    }
  }
}
