// One run and what surrounds it: its store, an alarm that only rings by hand, a clock by hand, the index that it tells.
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import type { RunScope } from "../../src/events/run-scope.ts";
import type { RunServices } from "../../src/events/run-services.ts";
import type { StepRecord } from "../../src/journal/journal-store.ts";
import type { OutboxSink } from "../../src/runtime/deliveries/outbox.ts";
import { EngineError } from "../../src/base/error.ts";
import { RunHost, type AlarmSlot, type RunHostPorts } from "../../src/runtime/run-host.ts";
import type { RunProgram } from "../../src/runtime/run-program.ts";
import type { RunStore } from "../../src/runtime/run-store.ts";
import type { Run, RunIndexRow, RunStart } from "../../src/runtime/run.ts";
import { SimulatedClock } from "../../src/testing/simulated-clock.ts";
import { noModel } from "./journal-harness.ts";
import { openMemoryStore, type StoreFixture } from "./run-stores.ts";

/** The alarm as a Durable Object has it, except that it rings only when told to. */
export class HandAlarm implements AlarmSlot {
  dueAtMs: number | null = null;
  /** What was asked of it, in order: `set +1000`, relative to the time of the call, or `delete`. */
  readonly calls: string[] = [];
  /** While true, every call is rejected. */
  broken = false;
  readonly #clock: SimulatedClock;

  constructor(clock: SimulatedClock) {
    this.#clock = clock;
  }

  async get(): Promise<number | null> {
    return this.dueAtMs;
  }

  async set(atMs: number): Promise<void> {
    this.#note(`set +${atMs - this.#clock.now()}`);
    this.dueAtMs = atMs;
  }

  async delete(): Promise<void> {
    this.#note("delete");
    this.dueAtMs = null;
  }

  #note(call: string): void {
    if (this.broken) throw new Error("the alarm is out of order");
    this.calls.push(call);
  }
}

export type RunWorldOptions = {
  readonly fixture?: StoreFixture;
  /** Comes between the run and its store. */
  readonly wrap?: (store: RunStore) => RunStore;
  readonly clock?: SimulatedClock;
  readonly tasks?: RunProgram["tasks"];
  readonly listeners?: RunProgram["listeners"];
  readonly limits?: RunHostPorts["limits"];
  /** @default none: asking for a model throws */
  readonly models?: RunHostPorts["models"];
  readonly index?: (row: RunIndexRow) => Promise<void>;
  /** Carries what is owed to children and parents. */
  readonly couriers?: Omit<OutboxSink, "index">;
  readonly report?: RunHostPorts["report"];
  /** Stands in for the search for the program. */
  readonly findProgram?: (start: RunStart) => RunProgram;
  readonly services?: RunServices;
  readonly onChange?: RunHostPorts["onChange"];
  /** @default none: code cannot change under the run */
  readonly codeVersion?: string;
  /** @default not told */
  readonly deployment?: string;
  /** @default run-1 */
  readonly id?: string;
  readonly recordPage?: RunHostPorts["recordPage"];
  readonly currentVersion?: RunHostPorts["currentVersion"];
  readonly drivesAtOnce?: boolean;
};

export const START: RunStart = {
  id: "run-1",
  tenant: "acme",
  kind: "crew",
  name: "briefing",
  inputs: { topic: "tea" },
};

export class RunWorld {
  readonly clock: SimulatedClock;
  readonly alarm: HandAlarm;
  /** What the index was told, in order. */
  readonly indexed: RunIndexRow[] = [];
  store: RunStore;
  host: RunHost;
  readonly #fixture: StoreFixture;
  #options: RunWorldOptions;
  #program: RunProgram;

  constructor(
    run: (scope: RunScope, inputs: JsonObject) => Promise<JsonValue>,
    options: RunWorldOptions = {},
  ) {
    this.#options = options;
    this.#program = { run, tasks: options.tasks ?? [], listeners: options.listeners };
    this.clock = options.clock ?? new SimulatedClock();
    this.alarm = new HandAlarm(this.clock);
    this.#fixture = options.fixture ?? openMemoryStore();
    this.store = this.#fixture.store;
    this.host = this.#newHost();
  }

  start(start: Partial<RunStart> = {}, adopt: readonly StepRecord[] = []): Promise<Run> {
    const { id = START.id } = this.#options;
    return this.host.start({ ...START, id, ...start }, adopt);
  }

  /** Rings the alarm if it is due; false when it is not. Resolves when it has been served. */
  async ring(): Promise<boolean> {
    const { dueAtMs } = this.alarm;
    if (dueAtMs === null || dueAtMs > this.clock.now()) return false;
    this.alarm.dueAtMs = null;
    await this.host.alarm();
    return true;
  }

  /** Rings the alarm as often as it is due. */
  async rest(): Promise<Run> {
    for (let rings = 0; await this.ring(); rings++)
      if (rings === 100) throw new Error("the alarm rings on and on");
    return this.host.status();
  }

  /** Starts the run and lets it go as far as it can by itself. */
  async begin(start: Partial<RunStart> = {}, adopt: readonly StepRecord[] = []): Promise<Run> {
    await this.start(start, adopt);
    return this.rest();
  }

  /** The process is gone: what it had in memory does nothing any more, and another one looks after the run. */
  restart(): void {
    this.store = this.#fixture.reopen();
    this.host = this.#newHost();
  }

  /** Other code takes over. `run` undefined: the definition is gone. */
  deploy(
    codeVersion: string,
    run: ((scope: RunScope, inputs: JsonObject) => Promise<JsonValue>) | undefined,
  ): void {
    const findProgram = (): never => {
      throw new EngineError("not_found", `there is no crew "briefing"`);
    };
    const { findProgram: _, ...options } = this.#options;
    this.#options = { ...options, codeVersion, ...(run === undefined ? { findProgram } : {}) };
    if (run !== undefined) this.#program = { ...this.#program, run };
    this.restart();
  }

  /** The same code is deployed anew. */
  deployAs(deployment: string): void {
    this.#options = { ...this.#options, deployment };
    this.restart();
  }

  eventTypes(): readonly string[] {
    return this.store.events.read(0, 10_000).map(({ type }) => type);
  }

  #newHost(): RunHost {
    const {
      wrap,
      index,
      limits,
      findProgram,
      couriers,
      report,
      models = noModel,
      services = {},
      onChange,
      codeVersion,
      deployment,
      recordPage,
      currentVersion,
      drivesAtOnce = false,
    } = this.#options;
    return new RunHost({
      store: wrap === undefined ? this.store : wrap(this.store),
      alarm: this.alarm,
      clock: this.clock,
      program: findProgram ?? (() => this.#program),
      models,
      services: () => services,
      drivesAtOnce,
      outbox: {
        ...couriers,
        index: async (row) => {
          await index?.(row);
          this.indexed.push(row);
        },
      },
      ...(limits === undefined ? undefined : { limits }),
      ...(onChange === undefined ? undefined : { onChange }),
      ...(codeVersion === undefined ? undefined : { codeVersion }),
      deployment,
      ...(recordPage === undefined ? undefined : { recordPage }),
      ...(currentVersion === undefined ? undefined : { currentVersion }),
      ...(report === undefined ? undefined : { report }),
    });
  }
}
