// Delivery of events to listeners in this process.
//
//   LQ1. Events are handled one after another, in the order in which they were published. A slow handler delays later
//        events, never the run.
//   LQ2. A handler is outside the run whose events it receives: a crew started by it is a run of its own.
//   LQ3. A handler has `HANDLER_TIMEOUT_MS`; then its signal aborts, the timeout is reported, and the next handler is
//        called.
import { noted } from "../base/log.ts";
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../base/clock.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { isAt } from "../wire/event-view.ts";
import { ListenerPlan, type Listener, type Listeners } from "./listener.ts";
import type { LiveEvent, RunEvent } from "./run-event.ts";
import { RunScope } from "./run-scope.ts";
import { EventTracer } from "./traced-event.ts";

export const HANDLER_TIMEOUT_MS = 30_000;

/** Number of handled events between two progress reports while more events arrive. */
const REPORT_EVERY = 50;

/** Receives the error of a listener. */
export type ListenerReport = (error: EngineError) => void;

export type ListenerQueueOptions = {
  readonly runId: string;
  readonly plans: readonly ListenerPlan[];
  readonly clock: Clock;
  readonly report: ListenerReport;
  /** Called when everything up to `seq` has been handled. */
  readonly handled?: (seq: number) => void;
};

type Entry = { readonly event: RunEvent | LiveEvent; readonly redelivered: boolean };

export class ListenerQueue {
  readonly tracer = new EventTracer();
  readonly #options: ListenerQueueOptions;
  #entries: Entry[] = [];
  #pumping = false;
  #idle: Array<() => void> = [];

  constructor(options: ListenerQueueOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return !this.#pumping;
  }

  push(event: RunEvent | LiveEvent, redelivered = false): void {
    this.#entries.push({ event, redelivered });
    if (this.#pumping) return;
    this.#pumping = true;
    void this.#pump();
  }

  /** Resolves with true when all published events have been handled, and with false after `timeoutMs`. */
  flush(timeoutMs: number): Promise<boolean> {
    if (this.isIdle) return Promise.resolve(true);
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(timeoutMs, () => resolve(false));
      this.#idle.push(() => {
        cancel();
        resolve(true);
      });
    });
  }

  /** Calls code of a listener within the time limit for handlers. Its failure is reported only. */
  async call(listener: Listener, code: (signal: AbortSignal) => unknown): Promise<void> {
    const { clock, report } = this.#options;
    const stop = new AbortController();
    const late = Promise.withResolvers<never>();
    let disarm: (() => void) | undefined;
    try {
      const result = scoped.run(undefined, () => RunScope.outside(() => code(stop.signal)));
      if (!isThenable(result)) return;
      disarm = clock.after(HANDLER_TIMEOUT_MS, () => {
        stop.abort();
        late.reject(new EngineError("timeout", `it took longer than ${HANDLER_TIMEOUT_MS} ms`));
      });
      await Promise.race([result, late.promise]);
    } catch (cause) {
      const message = `listener "${listener.name}" failed: ${errorMessage(cause)}`;
      try {
        const fields = { run: this.#options.runId, listener: listener.name };
        report(noted(new EngineError("internal", message, { cause }), "listener_failed", fields));
      } catch {
        // the failure handler has failed too, and no other one is left
      }
    } finally {
      disarm?.();
    }
  }

  async #pump(): Promise<void> {
    await Promise.resolve(); // never within the code emitting the event
    let seq = 0;
    for (let entry = this.#entries.shift(); entry !== undefined; entry = this.#entries.shift()) {
      await this.#deliver(entry);
      if ("seq" in entry.event) ({ seq } = entry.event);
      const drained = this.#entries.length === 0;
      if (seq > 0 && (drained || seq % REPORT_EVERY === 0)) this.#options.handled?.(seq);
    }
    this.#pumping = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #deliver({ event, redelivered }: Entry): Promise<void> {
    const { runId, plans } = this.#options;
    const traced = this.tracer.trace(event);
    const deliverPlan = async (plan: ListenerPlan): Promise<void> => {
      for (const layer of plan.layers(event.type)) {
        await Promise.all(
          layer.map((listener) =>
            this.call(listener, (signal) =>
              listener.handle(traced, { runId, redelivered, signal }),
            ),
          ),
        );
      }
    };
    await Promise.all(plans.map(deliverPlan));
  }
}

/** True for events from code with listeners of its own. */
export function hasOwnListeners({ listenerScope }: RunEvent | LiveEvent): boolean {
  return listenerScope !== undefined;
}

const scoped = new AsyncLocalStorage<ListenerPlan | undefined>();

/** Listeners that replace all others in the runs started by the current code. */
export function scopedListeners(): ListenerPlan | undefined {
  return scoped.getStore();
}

/**
 * Runs code with these listeners in place of all others: they alone receive the events of runs started by it in this
 * process, and of its work within the current run. Resolves once they have handled all events. Within a run its steps
 * lie below `own-listeners`, and events from before a crash are not received again.
 */
export async function withListeners<T>(
  listeners: Listeners,
  code: () => T | Promise<T>,
  options: { readonly report?: ListenerReport } = {},
): Promise<T> {
  const plan = new ListenerPlan(listeners);
  const place = RunScope.current()?.atNext("own-listeners").withOwnListeners();
  if (place === undefined) return scoped.run(plan, async () => code());
  const { runId, clock, path } = place;
  const report = options.report ?? (() => undefined);
  const queue = new ListenerQueue({ runId, plans: [plan], clock, report });
  const unsubscribe = place.subscribe(
    (event) => {
      if (event.listenerScope === path) queue.push(event);
    },
    (at) => plan.requestsWords && isAt(at, path),
  );
  try {
    return await place.run(async () => code());
  } finally {
    unsubscribe();
    await queue.flush(HANDLER_TIMEOUT_MS);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function";
}
