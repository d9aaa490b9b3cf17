import type { Clock } from "../base/clock.ts";
import type { ListenerReport } from "../events/listener-queue.ts";
import type { ListenerPlan } from "../events/listener.ts";
import { RunListening } from "./run-listening.ts";
import type { RunProgram } from "./run-program.ts";
import type { RunReader } from "./run-reader.ts";
import type { RunStore } from "./run-store.ts";
import type { RunWriter } from "./run-writer.ts";
import { isDrivable, type RunRecord, type RunStart } from "./run.ts";

/** Longest time an alarm stays for handlers. */
const HANDLERS_MS = 30_000;

export type SubscriberPorts = {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly program: (start: RunStart) => RunProgram;
  /** Called beside the program's own listeners. */
  readonly listeners?: ListenerPlan;
  /** True: the program's own listeners are not called. @default false */
  readonly onlyTheseListeners?: boolean;
  /** Receives errors of listeners. @default ignored */
  readonly report?: ListenerReport;
};

/** The listeners of a run, subscribed when there is an event for them. */
export class RunSubscribers {
  readonly #ports: SubscriberPorts;
  readonly #reader: RunReader;
  readonly #writer: RunWriter;
  /** Undefined until the listeners are known; null without listeners. */
  #listening: RunListening | null | undefined;
  #plans: readonly ListenerPlan[];

  constructor(ports: SubscriberPorts, reader: RunReader, writer: RunWriter) {
    this.#ports = ports;
    this.#reader = reader;
    this.#writer = writer;
    this.#plans = ports.listeners === undefined ? [] : [ports.listeners];
  }

  /** True once the run is known to have no listeners. */
  get isEmpty(): boolean {
    return this.#listening === null;
  }

  /** True while a handler runs, or has events waiting. */
  get isBusy(): boolean {
    return this.#listening?.isBusy ?? false;
  }

  /** Subscribes the listeners, including those of the program, from their first unhandled event on. */
  subscribe(program: RunProgram | undefined): void {
    if (this.#listening !== undefined) return;
    const { listeners, onlyTheseListeners = false, store, clock, report } = this.#ports;
    const own = onlyTheseListeners ? undefined : program?.listeners;
    const plans = [listeners, own].filter((plan) => plan !== undefined);
    this.#plans = plans;
    if (plans.length === 0) {
      this.#listening = null;
      return;
    }
    this.#listening = new RunListening({
      runId: this.#reader.record().id,
      store,
      events: this.#writer.events,
      clock,
      plans,
      report: report ?? (() => undefined),
      trace: () => this.#reader.traceRoots(),
    });
  }

  /**
   * Returns the header `traceparent` for requests at a place: its span if a listener makes spans, otherwise the header
   * from the start of this run or a run before it.
   */
  traceparent(
    eventId: string | undefined,
    { id: runId, trace: { parent, before } = {} }: Pick<RunRecord, "id" | "trace">,
  ): string | undefined {
    for (const { listeners } of this.#plans)
      for (const listener of listeners) {
        const own = listener.traceparent?.({ runId, parent, eventId });
        if (own !== undefined) return own;
      }
    return parent ?? before;
  }

  /** Waits until all events have been handled, unless the run has other work. */
  async rest(): Promise<void> {
    const record = this.#reader.record();
    if (isDrivable(record)) return;
    // The last drive was cut off at its end, or the run ended between drives: listeners have not subscribed yet.
    if (this.#listening === undefined) this.subscribe(this.#findProgram());
    if (!this.#listening) return;
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const disarm = this.#ports.clock.after(HANDLERS_MS, resolve);
    await Promise.race([this.#listening.rest(), this.#writer.changed(), enough]);
    disarm();
  }

  /** Resolves when all events so far have been handled, at the latest after the time limit of one handler. */
  async flush(): Promise<void> {
    await this.#listening?.flush();
  }

  /** Stops recording, because the run is being deleted. */
  close(): void {
    this.#listening?.stop();
    this.#listening = undefined;
  }

  #findProgram(): RunProgram | undefined {
    const record = this.#reader.record();
    if (record.error?.code === "crash_budget_exceeded") return undefined; // loading it may be the cause of the crashes
    try {
      return this.#ports.program(this.#reader.start(record));
    } catch {
      return undefined; // the definition is gone, and its listeners with it
    }
  }
}
