// Run drive: one execution of a run's code over its journal, from the alarm to its result.
//
//   RD1. The crash budget (crash-budget.ts) is read and written before any other state of the run: a run that kills its
//        host in every drive ends as `failed` after `MAX_CRASHES` drives without progress.
//   RD2. An alarm is set before a drive begins, so a crash is followed by another drive without outside help.
import { log } from "../base/log.ts";
import type { Clock } from "../base/clock.ts";
import { EngineError, errorMessage, toErrorRecord, type ErrorRecord } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import { SharedTimer } from "../base/shared-timer.ts";
import { RunScope } from "../events/run-scope.ts";
import { type RunEnvironment } from "../events/run-environment.ts";
import { withServices, type RunServices } from "../events/run-services.ts";
import type { Activity } from "../journal/activity.ts";
import { Journal } from "../journal/journal.ts";
import type { OnChange } from "./code-change.ts";
import { adoptedSeq, isAdopted } from "./adopted-rows.ts";
import type { RecordPlace } from "./record-place.ts";
import { takeOverRecord, type RecordPages } from "./take-over-record.ts";
import { cutWeight, MAX_CRASHES, restAfterCrash, type RunLimits } from "./crash-budget.ts";
import type { DriveResult, HeldDrive } from "../journal/step-spec.ts";
import { DriveObserver } from "./drive-observer.ts";
import type { CleanUps } from "./deliveries/clean-ups.ts";
import type { Mailbox } from "./mailbox/mailbox.ts";
import type { RunAlarm } from "./run-alarm.ts";
import type { RunCare } from "./run-care.ts";
import type { RunChildren } from "./children/run-children.ts";
import type { RunDeliveries } from "./deliveries/run-deliveries.ts";
import { keptOutput } from "./run-output.ts";
import type { RunProgram } from "./run-program.ts";
import { asRecorded } from "../base/recorded.ts";
import type { RunReader } from "./run-reader.ts";
import type { RunStore } from "./run-store.ts";
import type { RunSubscribers } from "./run-subscribers.ts";
import type { RunWaits } from "./run-waits.ts";
import type { RunWriter } from "./run-writer.ts";
import { isDrivable, isTerminal, type RunRecord, type RunStart } from "./run.ts";

/** Duration after which a drive yields; the platform ends it after 15 minutes. */
const DRIVE_BUDGET_MS = 8 * 60_000;
/**
 * A run that ends within this time is written to the index only once, as ended: each row is a write to a remote
 * database.
 */
const INDEX_DELAY_MS = 1_000;

export type DrivePorts = {
  /** Finds the program of a run; throws `not_found` if the definition is gone. */
  readonly program: (start: RunStart) => RunProgram;
  readonly models: RunEnvironment["models"];
  /** Services for the run beside models. */
  readonly services?: (start: RunStart) => RunEnvironment["services"];
  readonly limits?: Partial<RunLimits>;
  /**
   * Version of the code. Absent if code cannot change under a run: a run that does not fit its code then fails (CC3).
   */
  readonly codeVersion?: string;
  /** Deployment of the host, if known: a drive begun by another deployment was cut off by a deploy (CB1). */
  readonly deployment?: string | undefined;
  /** @default "continue" */
  readonly onChange?: OnChange;
  /** Reads pages of other runs' records, for a fork whose record is too long for its start request. */
  readonly recordPage?: RecordPages;
  readonly care?: RunCare;
};

export type RunDriveOptions = {
  readonly ports: DrivePorts;
  readonly store: RunStore;
  readonly clock: Clock;
  readonly reader: RunReader;
  readonly writer: RunWriter;
  readonly deliveries: RunDeliveries;
  readonly subscribers: RunSubscribers;
  readonly alarm: RunAlarm;
  readonly waits: RunWaits;
  readonly cleanUps: CleanUps;
  readonly mailbox: Mailbox;
  /** Undefined where runs start no others. */
  readonly children: RunChildren | undefined;
};

export class RunDrive {
  readonly #options: RunDriveOptions;
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #reader: RunReader;
  readonly #writer: RunWriter;
  #journal: Journal | undefined;
  readonly #observer: DriveObserver;
  /** Weight of the steps cut off in the last drive (CB1). */
  #cutWeight = 1;

  constructor(options: RunDriveOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#reader = options.reader;
    this.#writer = options.writer;
    const { onChange } = options.ports;
    this.#observer = new DriveObserver({ ...options, onChange, journal: () => this.#journal });
  }

  /** Journal of the current drive. */
  get journal(): Journal | undefined {
    return this.#journal;
  }

  /** Drives the run if it can continue by itself, and writes the result. */
  async serve(record: RunRecord): Promise<void> {
    const { alarm, waits, deliveries } = this.#options;
    if (record.paused && record.status !== "waiting") {
      // A crash came between the pause and the end of the drive.
      this.#writer.change({ ...record, status: "waiting", driving: false });
      record = this.#reader.record();
    }
    if (this.isWorthATry(record)) record = this.#tryAgain(record);
    if (!isDrivable(record)) {
      if (!waits.expireDue()) return;
      record = this.#reader.record();
    }
    if ((record.restsUntilMs ?? 0) > this.#clock.now()) return;
    if (record.adopting !== undefined) {
      await this.#takeOver(record.adopting);
      record = this.#reader.record();
      if (!isDrivable(record) || record.adopting !== undefined) return;
    }
    const { deployment, limits, care } = this.#options.ports;
    const { id, tenant, startedAtMs: begunAtMs } = record;
    const { origin } = this.#reader.start(record);
    if (origin !== undefined && begunAtMs === null && care?.forked !== undefined) {
      await care.forked({ tenant, id, from: origin.runId });
      record = this.#reader.record();
      if (!isDrivable(record)) return;
    }
    this.#cutWeight = cutWeight(record, deployment);
    // A drive abandoned by this same host after a storage fault has not crashed.
    const crashed = record.driving && alarm.faults === 0;
    const crashes = record.crashes + (crashed ? this.#cutWeight : 0);
    if (crashes >= MAX_CRASHES) {
      const message = `the run crashed ${Math.ceil(crashes)} times in a row without making progress; the last crash was before or during: ${this.#reader.unfinishedKeys()}`;
      return this.#fail({ code: "crash_budget_exceeded", message, retryable: false });
    }
    const restMs = crashed ? restAfterCrash({ id: record.id, crashes }, limits) : 0;
    if (restMs > 0) {
      const restsUntilMs = this.#clock.now() + restMs;
      return this.#store.save({ ...record, driving: false, crashes, restsUntilMs });
    }
    await alarm.setWatchdog();
    record = this.#reader.record();
    if (!isDrivable(record)) return; // cancelled or paused meanwhile
    const startedAtMs = record.startedAtMs ?? this.#clock.now();
    const { restsUntilMs: _, ...rested } = record;
    const by = deployment === undefined ? undefined : { deployment };
    const driven = { ...rested, driving: true, crashes, startedAtMs, ...by };
    this.#writer.change({ ...driven, status: "running" });
    const flush = (): void => void deliveries.flush().catch(() => undefined); // tried again after the drive
    const timer = new SharedTimer(this.#clock);
    if (deliveries.hasIndex) timer.after(INDEX_DELAY_MS, flush);
    try {
      this.#conclude(await this.#drive(timer));
    } finally {
      timer.clear();
    }
  }

  /** Copies the rest of a fork's record; a failure ends the run. */
  async #takeOver(from: RecordPlace): Promise<void> {
    const failure = await takeOverRecord(from, {
      ...this.#options,
      recordPage: this.#options.ports.recordPage,
      nowMs: this.#clock.now(),
    });
    if (failure !== undefined) this.#fail(failure);
  }

  /** True if the run is held and was not tried with this version of the code (CC3). */
  isWorthATry({ held, status, paused }: RunRecord): boolean {
    const { codeVersion } = this.#options.ports;
    return (
      held !== undefined && status === "waiting" && !paused && held.codeVersion !== codeVersion
    );
  }

  #tryAgain(record: RunRecord): RunRecord {
    this.#writer.transaction(() => {
      this.#writer.change({ ...record, status: "running" });
      this.#writer.emit("run_resumed", {}, record.version);
    });
    return this.#reader.record();
  }

  #drive(timer: SharedTimer): Promise<DriveResult> {
    const { ports, waits } = this.#options;
    const record = this.#reader.record();
    const start = this.#reader.start(record);
    const journal = new Journal({
      runId: record.id,
      store: this.#store.journal,
      clock: this.#clock,
      timer,
      ...(ports.limits === undefined ? undefined : { limits: ports.limits }),
      interruptionWeight: this.#cutWeight,
      yieldAtMs: this.#clock.now() + DRIVE_BUDGET_MS,
      observer: this.#observer.of(record),
    });
    this.#journal = journal;
    waits.driveBegins();
    return journal.drive((root) => this.#run(start, { journal, root, record }));
  }

  async #run(
    start: RunStart,
    {
      journal,
      root,
      record,
    }: { readonly journal: Journal; readonly root: Activity; readonly record: RunRecord },
  ): Promise<JsonValue> {
    const { ports, subscribers, children, cleanUps, mailbox } = this.#options;
    let program: RunProgram;
    try {
      program = ports.program(start);
    } catch (error) {
      const isGone = EngineError.is(error) && error.code === "not_found";
      if (!isGone && this.#store.journal.count() === 0) throw error;
      journal.hold({ error: toErrorRecord(error) });
      return null;
    }
    try {
      subscribers.subscribe(program);
    } catch (error) {
      journal.fail(error);
    }
    const outermost = new RunScope(
      {
        journal,
        events: this.#writer.events,
        models: ports.models,
        services: servicesFor(start, ports.services?.(start)),
        repeats: new Map(),
        cleanUps,
        mail: mailbox,
        traceparent: (eventId) => subscribers.traceparent(eventId, record),
        ...(children === undefined ? undefined : { children: children.port }),
      },
      { activity: root, path: "", parentEventId: undefined },
    );
    const { kind, name, inputs } = start;
    const scope = outermost.open("run_started", { kind, name, inputs });
    const result = await scope.run(() => program.run(scope, inputs));
    // An output in another form may contain an object that looks like a recorded kind, as from a model.
    return program.isRecorded === true ? result : asRecorded(result);
  }

  #conclude(result: DriveResult): void {
    this.#journal = undefined;
    this.#options.mailbox.driveEnds();
    const record = this.#reader.record();
    if (isTerminal(record.status)) return;
    const { held: _, ...released } = record;
    const rested = { ...released, driving: false, crashes: 0 };
    switch (result.state) {
      case "completed": {
        const output = keptOutput(result.value);
        if ("fault" in output) return this.#fail(output.fault);
        return this.#writer.end({ status: "completed", error: null }, () => {
          this.#store.setValue("output", output.json);
          this.#writer.emit("run_completed", { output: output.shown });
        });
      }
      case "failed":
        return this.#fail(result.error);
      case "held":
        return this.#hold(record, result);
      case "parked": {
        const { waits } = this.#options;
        const unpaused = result.reason === "paused" && !record.paused;
        const offered = waits.offerKeptEvents();
        const answered = (waits.answeredAfterDrive || offered) && !record.paused;
        if (result.reason === "yielded" || unpaused || answered) return this.#store.save(rested);
        return this.#writer.transaction(() => {
          this.#writer.change({ ...rested, status: "waiting" });
          const keys = this.#store.journal.waits().map((row) => row.key);
          this.#writer.emit("run_waiting", { waits: keys }, record.version);
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

  #hold(record: RunRecord, { error, key }: HeldDrive): void {
    const { codeVersion, onChange } = this.#options.ports;
    if (codeVersion === undefined || onChange === "fail" || this.#isMisfitOfFork(record, key))
      return this.#fail(error);
    const sinceMs = record.held?.sinceMs ?? this.#clock.now();
    const step = key === undefined ? {} : { key };
    this.#writer.transaction(() => {
      const held = { error, ...step, sinceMs, codeVersion };
      this.#writer.change({ ...record, status: "waiting", driving: false, crashes: 0, held });
      const { code, message } = error;
      this.#writer.emit("run_held", { code, message, ...step, codeVersion }, record.version);
    });
    log("run_held", { run: record.id, tenant: record.tenant, reason: error.code, step: key });
  }

  /** True if a fork does not fit the definition of its start: no deployment can repair its copied record. */
  #isMisfitOfFork(record: RunRecord, key: string | undefined): boolean {
    if (key === undefined || this.#reader.start(record).origin?.definition === undefined)
      return false;
    const row = this.#store.journal.get(key);
    return row !== undefined && isAdopted(row, adoptedSeq(this.#store));
  }

  #fail(error: ErrorRecord): void {
    this.#writer.end({ status: "failed", error }, () => this.#writer.emit("run_failed", { error }));
  }
}

/** Combines the deployment's services with those of the run's caller. */
function servicesFor(
  { context, budget, overrides, person }: RunStart,
  services: RunServices = {},
): RunServices {
  if ([context, budget, overrides, person].every((each) => each === undefined)) return services;
  return withServices(services, {
    ...(context === undefined ? undefined : { context }),
    ...(budget === undefined ? undefined : { budget }),
    ...(overrides === undefined ? undefined : { overrides }),
    ...(person === undefined ? undefined : { person }),
  });
}
