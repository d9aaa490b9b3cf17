// A run's listeners, in any host.
//
//   RL1. Handled events are on record as a `seq`. After a crash handlers receive only later events: each event once,
//        except for those being handled at the crash, which are marked as redelivered.
//   RL2. A run without listeners has no cost: no subscription, no read, no write.
//   RL3. The state passed to an `atRest` handler is on record too, so the export of a drive is repeated only after a
//        crash during it.
import type { Clock } from "../base/clock.ts";
import type { EventLog } from "../events/event-log.ts";
import {
  HANDLER_TIMEOUT_MS,
  hasOwnListeners,
  ListenerQueue,
  type ListenerReport,
} from "../events/listener-queue.ts";
import type { ListenerPlan, TraceRoots } from "../events/listener.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { RunStore } from "./run-store.ts";

const PAGE = 200;
const SEQ = "listenerSeq";
const RESTED_SEQ = "listenerRestedSeq";

export type RunListeningOptions = {
  readonly runId: string;
  readonly store: RunStore;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly plans: readonly ListenerPlan[];
  readonly report: ListenerReport;
  readonly trace: () => TraceRoots;
};

export class RunListening {
  readonly #options: RunListeningOptions;
  readonly #queue: ListenerQueue;
  #handledSeq: number;
  #resting: Promise<void> | undefined;
  #stopped = false;

  /** Subscribes: first to stored, unhandled events, then to new ones. */
  constructor(options: RunListeningOptions) {
    const { runId, store, events, clock, plans, report } = options;
    this.#options = options;
    this.#handledSeq = this.#stored(SEQ);
    this.#queue = new ListenerQueue({
      runId,
      plans,
      clock,
      report,
      handled: (seq) => this.#store(SEQ, (this.#handledSeq = seq)),
    });
    for (const event of kept(store)) {
      if (event.seq <= this.#handledSeq) this.#queue.tracer.trace(event);
      else if (!hasOwnListeners(event)) this.#queue.push(event, true);
    }
    const requestsWords = plans.some((plan) => plan.requestsWords);
    events.subscribe(
      (event) => {
        if (!hasOwnListeners(event)) this.#queue.push(event);
      },
      () => requestsWords,
    );
  }

  /** True while a handler runs, or has events pending. */
  get isBusy(): boolean {
    return !this.#queue.isIdle || this.#resting !== undefined;
  }

  /** Resolves when all events so far have been handled, at the latest after the time limit of one handler. */
  async flush(): Promise<void> {
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const disarm = this.#options.clock.after(HANDLER_TIMEOUT_MS, resolve);
    await Promise.race([this.rest(), enough]);
    disarm();
  }

  /** Stops recording the progress of handlers, because the run is being deleted. */
  stop(): void {
    this.#stopped = true;
  }

  /** Has all events handled, then calls the `atRest` handlers. Resolves when they have finished. */
  rest(): Promise<void> {
    this.#resting ??= this.#rest().finally(() => (this.#resting = undefined));
    return this.#resting;
  }

  async #rest(): Promise<void> {
    const { runId, plans, store, events } = this.#options;
    while (!this.#queue.isIdle) await this.#queue.flush(HANDLER_TIMEOUT_MS);
    const listeners = plans
      .flatMap((plan) => plan.listeners)
      .filter(({ atRest }) => atRest !== undefined);
    if (listeners.length === 0) return;
    const restedSeq = this.#stored(RESTED_SEQ);
    const { lastSeq } = events;
    if (restedSeq >= lastSeq) return;
    const history = (): Iterable<RunEvent> => kept(store);
    const notify = (listener: (typeof listeners)[number]): Promise<void> =>
      this.#queue.call(listener, (signal) =>
        listener.atRest?.({ runId, signal, history, restedSeq, trace: this.#options.trace }),
      );
    await Promise.all(listeners.map(notify));
    this.#store(RESTED_SEQ, lastSeq);
  }

  #stored(name: string): number {
    return Number(this.#options.store.value(name) ?? 0);
  }

  /** After a storage failure the events are handled again. */
  #store(name: string, seq: number): void {
    if (this.#stopped) return;
    try {
      this.#options.store.setValue(name, String(seq));
    } catch {
      // the run itself detects the fault, and decides the outcome
    }
  }
}

function* kept(store: RunStore): Generator<RunEvent> {
  for (let seq = 0; ;) {
    const page = store.events.read(seq, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    seq = last.seq;
  }
}
