// Run host: the life of one run, with any store and alarm.
//
//   H1. Starting is one transaction; a second start with the same id returns the first run.
//   H4. After a storage failure the outcome is undecided, and the drive is repeated later. `alarm()` throws only if no
//       alarm could be set for the repetition: the platform repeats failed handlers only.
//   H5. A waiting run has an alarm only for its next due time, a finished one only for pending deliveries.
//   H6. A terminal status is written once, with its event and its deliveries, and never changes.
//   H7. The index is updated through the outbox, and is never ahead of the run itself.
//
// Rules of drives (RD) are in run-drive.ts.
import type { Clock } from "../base/clock.ts";
import { toJson } from "../base/recorded.ts";
import { EngineError } from "../base/error.ts";
import type { EventLog } from "../events/event-log.ts";
import type { StepRecord } from "../journal/journal-store.ts";
import { ChildRuns } from "./children/child-runs.ts";
import { FirstRecord } from "./first-record.ts";
import { ForkSource } from "./fork-source.ts";
import type { OutboxSink } from "./deliveries/outbox.ts";
import type { ExportPage, ExportQuery } from "./export-page.ts";
import type { ExportedRun } from "./export-run.ts";
import type { EventReceipt, OutsideEvent, OutsideEvents } from "./outside-events.ts";
import type { ResumeRequest } from "./resume.ts";
import { Mailbox } from "./mailbox/mailbox.ts";
import { RunAlarm, type AlarmSlot } from "./run-alarm.ts";
import type { RunCare } from "./run-care.ts";
import { RunChildren } from "./children/run-children.ts";
import { CleanUps } from "./deliveries/clean-ups.ts";
import { RunControl } from "./run-control.ts";
import { RunDeliveries } from "./deliveries/run-deliveries.ts";
import { RunDrive, type DrivePorts } from "./run-drive.ts";
import { RunReader } from "./run-reader.ts";
import type { RunStore } from "./run-store.ts";
import { RunSubscribers, type SubscriberPorts } from "./run-subscribers.ts";
import { RunWaits } from "./run-waits.ts";
import { takenAnswer } from "./taken-answer.ts";
import { RunWriter } from "./run-writer.ts";
import type { WebhookAttempts } from "./deliveries/webhook-list.ts";
import type { AddedWebhook } from "./deliveries/webhooks.ts";
import { isTerminal, type Run, type RunSnapshot, type RunStart } from "./run.ts";

export type { AlarmSlot } from "./run-alarm.ts";
export { MAX_CRASHES } from "./crash-budget.ts";

export type RunHostPorts = SubscriberPorts &
  DrivePorts & {
    readonly alarm: AlarmSlot;
    readonly outbox: OutboxSink;
    /** Adds sums over runs to rows of the index. @default false */
    readonly withSums?: boolean;
    /** Adds the words of runs to rows of the index. @default false */
    readonly withText?: boolean;
    /** Returns the definition version for a new run. @default definitions have no versions */
    readonly currentVersion?: (start: RunStart) => string | undefined;
    /**
     * Drives a new run in the turn of its start, instead of by its alarm. For hosts that outlive the starting call.
     * @default false
     */
    readonly drivesAtOnce?: boolean;
  };

export class RunHost {
  /** Reader of the run's record. */
  readonly reader: RunReader;
  /** Source of the record for forks. */
  readonly forks: ForkSource;
  readonly children: RunChildren;
  /** Messages sent to the run. */
  readonly mailbox: Mailbox;
  readonly #first: FirstRecord;
  readonly #control: RunControl;
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #deliveries: RunDeliveries;
  readonly #writer: RunWriter;
  readonly #subscribers: RunSubscribers;
  readonly #alarm: RunAlarm;
  readonly #waits: RunWaits;
  readonly #drive: RunDrive;
  readonly #care: RunCare;
  readonly #drivesAtOnce: boolean;

  constructor(ports: RunHostPorts) {
    const { store, clock } = ports;
    const reader = new RunReader(store, ports.program);
    const parts = { store, clock, reader };
    const cleanUps = new CleanUps({
      ...parts,
      services: () => ports.services?.(reader.start(reader.record())) ?? {},
      release: (record) => this.#deliveries.addCleanUp(record),
      wakeFor: (change) => void this.#alarm.wakeFor(change).catch(() => undefined),
    });
    const deliveries = new RunDeliveries({
      ...parts,
      cleanUp: (record) => cleanUps.perform(record),
      sink: ports.outbox,
      withSums: ports.withSums,
      withText: ports.withText,
      traceparent: (eventId) => this.#subscribers.traceparent(eventId, reader.record()),
      events: () => this.events,
      ...(ports.report === undefined ? undefined : { report: ports.report }),
      onUndispatched: (children) => this.children.failUndispatched(children),
      onWebhooksDone: () => void this.#planWebhooks().catch(() => undefined),
      onFlushed: () => this.#alarm.isServing && this.#planWebhooks(),
    });
    const writer = new RunWriter({ ...parts, deliveries, cleanUps });
    const subscribers = new RunSubscribers(ports, reader, writer);
    this.mailbox = new Mailbox({ ...parts, writer, interrupt: () => journal()?.interrupt() });
    writer.beforeEnd = () => this.mailbox.ends();
    const journal = (): RunDrive["journal"] => this.#drive.journal;
    const isDriven = (): boolean => journal() !== undefined;
    const alarm = new RunAlarm({
      ...parts,
      slot: ports.alarm,
      isDriven,
      isHandling: () => subscribers.isBusy,
      isWorthATry: (record) => this.#drive.isWorthATry(record),
      report: ports.report,
    });
    const records = new ChildRuns(store, reader);
    const waits = new RunWaits({ ...parts, writer, deliveries, children: records, journal });
    const acting = { ...parts, writer, deliveries, alarm, waits };
    this.children = new RunChildren({ ...acting, records, isDriven });
    this.#drive = new RunDrive({
      ...acting,
      cleanUps,
      mailbox: this.mailbox,
      ports,
      subscribers,
      children: ports.outbox.dispatch === undefined ? undefined : this.children,
    });
    this.reader = reader;
    this.forks = new ForkSource(store, reader);
    this.#care = ports.care ?? {};
    this.#drivesAtOnce = ports.drivesAtOnce ?? false;
    this.#control = new RunControl({ reader, writer, alarm, journal });
    this.#first = new FirstRecord({ ...parts, writer, currentVersion: ports.currentVersion });
    this.#store = store;
    this.#clock = clock;
    this.#deliveries = deliveries;
    this.#writer = writer;
    this.#subscribers = subscribers;
    this.#alarm = alarm;
    this.#waits = waits;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#clock.now();
  }

  /** Throws `not_found` for a run never started. */
  get events(): EventLog {
    return this.#writer.events;
  }

  /**
   * Starts the run; for the id of an existing run, returns that run immediately. `adopt` is the copied record of a
   * fork, or its first page. With `settleMs`, returns the new run like `settled`.
   */
  async start(start: RunStart, adopt: readonly StepRecord[] = [], settleMs?: number): Promise<Run> {
    if (!(await this.#enter(start, adopt))) return this.status();
    if (settleMs !== undefined) {
      this.#goOn();
      return this.settled(settleMs);
    }
    const run = this.reader.view(this.reader.record());
    this.#goOn();
    return run;
  }

  /** Like `start`, without a view of the run. Throws `conflict` for a child whose id belongs to another run. */
  async begin(start: RunStart, adopt: readonly StepRecord[] = []): Promise<void> {
    if (await this.#enter(start, adopt)) this.#goOn();
  }

  /** Drives a newly started run, if it need not wait for its alarm; the alarm repeats a failed drive. */
  #goOn(): void {
    if (this.#drivesAtOnce) void this.#alarm.serve(() => this.#work()).catch(() => undefined);
  }

  /** Writes the start of the run; returns false if it already exists. */
  async #enter(start: RunStart, adopt: readonly StepRecord[]): Promise<boolean> {
    const existing = this.#store.load();
    if (existing !== undefined) {
      if (start.parent !== undefined && existing.parent?.id !== start.parent.id)
        throw new EngineError("conflict", `run ${start.id} exists and is no child of this parent`);
      await this.#alarm.ensure(existing);
      return false;
    }
    const write = (): void => this.#first.write(start, adopt);
    if (this.#drivesAtOnce) await this.#alarm.watchFor(write);
    else await this.#alarm.wakeFor(write);
    return true;
  }

  /** Does all due work: drives the run, settles timers, makes deliveries (H4). Concurrent calls share one execution. */
  alarm(): Promise<void> {
    return this.#alarm.rings(() => this.#work());
  }

  async #work(): Promise<void> {
    const record = this.#store.load();
    if (record === undefined) return;
    if (!isTerminal(record.status)) await this.#drive.serve(record);
    this.#alarm.clearFaults();
    await this.#deliveries.timer.underWay;
    await this.#deliveries.flush();
    if (!this.#subscribers.isEmpty) await this.#subscribers.rest();
    this.#deliveries.timer.cancel();
    await this.#alarm.scheduleNext();
  }

  /** Restores the lost alarm of a run; returns false without a run. Cheap if the alarm is set. */
  async poke(): Promise<boolean> {
    const record = this.#store.load();
    if (record !== undefined) await this.#alarm.ensure(record);
    return record !== undefined;
  }

  /** Returns the run in its API form. Also restores a lost alarm. */
  async status(): Promise<Run> {
    await this.#alarm.ensure(this.reader.record());
    return this.reader.view(this.reader.record(), this.#drive.journal?.usage);
  }

  /** Returns the current run with its place in the event log, and the stored events of these types up to there. */
  async snapshot(types: readonly string[] = []): Promise<RunSnapshot> {
    await this.#alarm.ensure(this.reader.record());
    const { lastSeq } = this.events;
    return {
      run: this.reader.view(this.reader.record(), this.#drive.journal?.usage),
      seq: lastSeq,
      ...this.reader.eventsOf(types, lastSeq),
    };
  }

  /** Returns the webhooks added to the run. */
  webhooks(): readonly AddedWebhook[] {
    this.reader.record();
    return this.#deliveries.webhooks.added;
  }

  /** Returns the webhook deliveries not taken yet: pending ones, and the newest abandoned ones. */
  webhookAttempts(): readonly WebhookAttempts[] {
    this.reader.record();
    return this.#deliveries.webhookAttempts;
  }

  /** Adds a webhook for the events from now on, or replaces the webhook with its id. */
  addWebhook(target: AddedWebhook): AddedWebhook {
    this.reader.record();
    const added = this.#deliveries.webhooks.add(target);
    this.#store.commit();
    return added;
  }

  /** Removes an added webhook, if one has this id. */
  removeWebhook(id: string): void {
    this.reader.record();
    this.#deliveries.webhooks.remove(id);
    this.#store.commit();
  }

  /** The whole run as one document. */
  export(options: { readonly values?: boolean | undefined } = {}): ExportedRun {
    return this.reader.export(this.#clock.now(), { ...options, usage: this.#drive.journal?.usage });
  }

  /** A page of the whole run as one document. */
  exportPage(query: ExportQuery): ExportPage {
    const usage = this.#drive.journal?.usage;
    return this.reader.exportPage(query, { atMs: this.#clock.now(), usage });
  }

  /**
   * Accepts an event for a present or future wait: `conflict` for a run without event waits; see `OutsideEvents.taken`.
   */
  async sendEvent(sent: OutsideEvent): Promise<EventReceipt> {
    const { payload } = sent;
    const event = payload === undefined ? sent : { ...sent, payload: toJson(payload, "payload") };
    if (this.#takingEvents().overtakes(event))
      await this.#alarm.wakeFor(() => void this.#waits.offerKeptEvents());
    const { receipt, apply } = this.#takingEvents().taken(event);
    if (receipt.outcome === "delivered") await this.#alarm.wakeFor(apply);
    else apply();
    this.#store.commit();
    return receipt;
  }

  /** Throws `conflict` for a run without event waits. */
  #takingEvents(): OutsideEvents {
    const { id, status } = this.reader.record();
    const outside = isTerminal(status) ? undefined : this.#waits.outsideEvents;
    if (outside !== undefined) return outside;
    throw new EngineError("conflict", `run ${id} is ${status} and waits for no event`);
  }

  /**
   * Answers an open wait: `conflict` without an open wait, or without one of that key, or if no key says which of
   * several questions is answered (SQ3); `invalid_input` if the answer does not fit.
   */
  async resume(request: ResumeRequest): Promise<Run> {
    const taken = takenAnswer(this.#store, this.reader.record(), request);
    if (taken === undefined) return this.status();
    const { key, answer, note } = taken;
    const { by } = request;
    await this.#alarm.wakeFor(() =>
      this.#waits.settling(() => {
        if (!this.#waits.settle(key, answer, by === undefined ? {} : { by })) return;
        if (note !== undefined) this.#store.setValue(note.name, note.json);
        this.#waits.goOn();
      }),
    );
    return this.status();
  }

  /** Ends the run now: open calls are aborted, and their late results have no effect. */
  async cancel(reason?: string): Promise<Run> {
    await this.#control.cancel(reason);
    return this.status();
  }

  /** Lets the running steps end and starts no more, until `unpause`. */
  async pause(): Promise<Run> {
    await this.#control.pause();
    return this.status();
  }

  async unpause(): Promise<Run> {
    await this.#control.unpause();
    return this.status();
  }

  /** Deletes a finished run completely; `conflict` for an unfinished one. */
  async forget(): Promise<void> {
    const { id, tenant, status } = this.reader.record();
    if (!isTerminal(status))
      throw new EngineError("conflict", `run ${id} is ${status}: cancel it before it is deleted`);
    await this.#deliveries.flush();
    await this.#care.forgotten?.({ tenant, id });
    await this.#alarm.clear();
    this.#subscribers.close();
    this.#store.clear();
    this.#writer.forget();
  }

  /** Adds the run to the index again, as after the loss of its database; returns false without a run. */
  async reindex(): Promise<boolean> {
    const record = this.#store.load();
    if (record === undefined) return false;
    this.#deliveries.addIndexRow(record);
    await this.#deliveries.flush();
    await this.#alarm.scheduleNext();
    return true;
  }

  /**
   * Resolves when the run is finished or waits for an outside answer, immediately if it already does, and in any case
   * after `timeoutMs`. A run waiting only for its children and for timers resumes by itself, and does not count as
   * waiting.
   */
  async settled(timeoutMs: number): Promise<Run> {
    await this.untilSettled(timeoutMs);
    return this.status();
  }

  /** Like `settled`, without a view of the run. @default no limit */
  async untilSettled(timeoutMs?: number): Promise<void> {
    const deadline = timeoutMs === undefined ? undefined : this.#clock.now() + timeoutMs;
    for (;;) {
      const { status } = this.reader.record();
      const waits = status === "waiting" && !this.reader.resumesByItself();
      if (isTerminal(status) || waits) return;
      const left = deadline === undefined ? undefined : deadline - this.#clock.now();
      if (left !== undefined && left <= 0) return;
      await this.changed(left);
    }
  }

  /** Resolves at the next change of status or wait, or after `timeoutMs`. */
  changed(timeoutMs?: number): Promise<void> {
    return this.#writer.changed(timeoutMs);
  }

  /** Resolves when listeners have handled all events so far, at the latest after the time limit of one handler. */
  async flushListeners(): Promise<void> {
    await this.#subscribers.flush();
  }

  /** Reschedules after webhooks were delivered or postponed, which may change the next due time. */
  async #planWebhooks(): Promise<void> {
    if (!this.#alarm.isServing) return this.#alarm.scheduleNext();
    // The alarm waits for the end of the drive, and is set again then.
    this.#deliveries.flushByNextWebhook();
  }
}
