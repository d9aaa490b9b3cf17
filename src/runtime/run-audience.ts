import type { Clock } from "../base/clock.ts";
import type { ListenerReport } from "../events/listener-queue.ts";
import type { ListenerPlan } from "../events/listener.ts";
import type { RunLedger } from "./run-ledger.ts";
import { RunListening } from "./run-listening.ts";
import type { RunProgram } from "./run-program.ts";
import type { RunReader } from "./run-reader.ts";
import type { RunStore } from "./run-store.ts";
import { isDrivable, type RunStart } from "./run.ts";

/** How long an alarm stays for listeners. */
const LISTENERS_MS = 30_000;

export type AudiencePorts = {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly program: (start: RunStart) => RunProgram;
  /** Heard beside the program's own. */
  readonly listeners?: ListenerPlan;
  /** True: the program's own listeners are not called. @default false */
  readonly onlyTheseListeners?: boolean;
  /** Hears of what listeners throw. @default nobody */
  readonly report?: ListenerReport;
};

/** Who listens to a run: found out when there is first something to hear. */
export class RunAudience {
  readonly #ports: AudiencePorts;
  readonly #read: RunReader;
  readonly #ledger: RunLedger;
  /** Undefined until it is known who listens; null: nobody does. */
  #listening: RunListening | null | undefined;

  constructor(ports: AudiencePorts, read: RunReader, ledger: RunLedger) {
    this.#ports = ports;
    this.#read = read;
    this.#ledger = ledger;
  }

  /** True once it is known that nobody listens. */
  get isEmpty(): boolean {
    return this.#listening === null;
  }

  /** True while a handler is at work, or has work waiting. */
  get isBusy(): boolean {
    return this.#listening?.isBusy ?? false;
  }

  /** Has those listen who do, from what they have not handled yet on. */
  gather(program: RunProgram | undefined): void {
    if (this.#listening !== undefined) return;
    const { listeners, onlyTheseListeners = false, store, clock, report } = this.#ports;
    const own = onlyTheseListeners ? undefined : program?.listeners;
    const plans = [listeners, own].filter((plan) => plan !== undefined);
    if (plans.length === 0) {
      this.#listening = null;
      return;
    }
    this.#listening = new RunListening({
      runId: this.#read.record().id,
      store,
      events: this.#ledger.events,
      clock,
      plans,
      report: report ?? (() => undefined),
    });
  }

  /** Stays until listeners are through, unless the run has something else to do. */
  async attend(): Promise<void> {
    const record = this.#read.record();
    if (isDrivable(record)) return;
    // Cut off at its end, or ended while nobody drove it: who listens is found out now.
    if (this.#listening === undefined) this.gather(this.#findProgram());
    if (!this.#listening) return;
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const disarm = this.#ports.clock.after(LISTENERS_MS, resolve);
    await Promise.race([this.#listening.rest(), this.#ledger.changed(), enough]);
    disarm();
  }

  /** Resolves when everything so far has been handled, at the latest after the time that one handler has. */
  async flush(): Promise<void> {
    await this.#listening?.flush();
  }

  /** The run is being forgotten: nothing more is put on record. */
  dismiss(): void {
    this.#listening?.stop();
    this.#listening = undefined;
  }

  #findProgram(): RunProgram | undefined {
    const record = this.#read.record();
    if (record.error?.code === "crash_budget_exceeded") return undefined; // finding it may be what kills the host
    try {
      return this.#ports.program(this.#read.start(record));
    } catch {
      return undefined; // the definition is gone, and its listeners with it
    }
  }
}
