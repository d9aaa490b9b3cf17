// Run object: one run on its platform. It has a storage and one alarm, and its host may die at any boundary.
import { PlatformFault } from "../../src/base/platform-fault.ts";
import type { Clock } from "../../src/base/clock.ts";
import { modelCatalog } from "../../src/llm/model-catalog.ts";
import type { OutboxSink } from "../../src/runtime/deliveries/outbox.ts";
import { RunHost, type AlarmSlot, type RunHostPorts } from "../../src/runtime/run-host.ts";
import type { RunProgram } from "../../src/runtime/run-program.ts";
import type { RunRecord, RunStart } from "../../src/runtime/run.ts";
import type { RunStore } from "../../src/runtime/run-store.ts";
import type { Version } from "./deploys.ts";
import type { AlarmFate } from "./faults.ts";
import { GuardedStore, type Guard, type StoreObserver } from "./guarded-store.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import { newDisk, type Disk, type StoreKind } from "./stores.ts";
import type { Boundary, World } from "./world.ts";

/** What an access of a dead host gets; the words are the platform's. */
class HostLost extends PlatformFault {
  constructor() {
    super("Durable Object reset because its code was updated.");
  }
}

const FAILURES = {
  full: "database or disk is full: SQLITE_FULL",
  lost: "Network connection lost.",
} as const;

/** The models of simulated programs are objects of their own. */
const models = modelCatalog({ variables: {} });

const PLATFORM_RETRY_MS = 2_000;

/** How a call of the object ended for its caller. */
export type CallResult<T> = { readonly value: T } | { readonly error: unknown } | "lost";

/** One instance of the object's host: everything in memory dies with it. */
export type Life = {
  dead: boolean;
  /** Its code. */
  readonly version: Version;
  readonly calls: Set<(result: "lost") => void>;
  host: RunHost | undefined;
};

export type RunObjectOptions = {
  readonly world: World;
  readonly store: StoreKind;
  readonly bug: PlantedBug | undefined;
  readonly observer: StoreObserver;
  /** The code that a new host has. */
  readonly version: () => Version;
  readonly program: (life: Life, start: RunStart) => RunProgram;
  readonly sink: (life: Life) => OutboxSink;
  /** Called when a host dies, or when its storage fails. */
  readonly onFault: (life: Life) => void;
  readonly onViolation: (what: string) => void;
};

export class RunObject {
  /** True when an alarm has been lost, so that only the sweeper can help. */
  alarmLost = false;
  /** True when the alarm could not be set, and has not been since. */
  alarmFailed = false;
  alarmAtMs: number | null = null;
  /** How often the alarm has rung. */
  rings = 0;
  /** How often the object was called, its alarm included. */
  calls = 0;
  #life: Life | undefined;
  #ringing: Life | undefined;
  #ringAgain = false;
  #cancelRing: (() => void) | undefined;
  #alarmsSet = 0;
  #stuck = false;
  readonly #disk: Disk;
  readonly #world: World;
  readonly #options: RunObjectOptions;

  constructor(options: RunObjectOptions) {
    this.#options = options;
    this.#world = options.world;
    this.#disk = newDisk(options.store);
    this.#world.onAlarmsChanged(() => this.#arm());
  }

  /** The storage as it is, past all faults. */
  get stored(): RunStore {
    return this.#disk.look();
  }

  get record(): RunRecord | undefined {
    return this.stored.load();
  }

  get ringing(): boolean {
    return this.#ringing !== undefined;
  }

  close(): void {
    if (this.#life !== undefined) this.#life.dead = true;
    this.#disk.close();
  }

  /** Calls the object as a client does; `done` is told once, never synchronously. */
  call<T>(action: (host: RunHost) => Promise<T>, done: (result: CallResult<T>) => void): void {
    this.calls++;
    const life = this.#awake();
    const onLost = (): void => {
      this.#world.time.after(0, () => done("lost"));
    };
    life.calls.add(onLost);
    const ended = (result: CallResult<T>): void => {
      if (life.dead) return;
      life.calls.delete(onLost);
      done(result);
    };
    const { host } = life;
    if (host === undefined) return;
    void action(host).then(
      (value) => ended({ value }),
      (error: unknown) => ended({ error }),
    );
  }

  /** As `call`, with the end as a promise. */
  ask<T>(action: (host: RunHost) => Promise<T>): Promise<CallResult<T>> {
    return new Promise((resolve) => this.call(action, resolve));
  }

  /** Drops the host while it is idle, or, if it is not, in the midst of it. */
  evict(): void {
    if (this.#life !== undefined) this.#die(this.#life);
  }

  /** Ends this life here and now, as from within it. Always throws. */
  crash(life: Life): never {
    this.#world.crashes++;
    this.#die(life);
    throw new HostLost();
  }

  /** Lets an access of this life through, fails it, or ends the life. */
  cross<T>(life: Life, boundary: Boundary, access: () => T): T {
    if (life.dead) throw new HostLost();
    const fault = this.#world.nextFault(boundary, this.ringing);
    if (fault === "crashBefore") this.crash(life);
    if (fault === "full" || fault === "lost") {
      this.#world.failures++;
      if (boundary === "alarm") this.alarmFailed = true;
      this.#options.onFault(life);
      throw new PlatformFault(FAILURES[boundary === "action" ? "lost" : fault]);
    }
    const value = access();
    if (life.dead) throw new HostLost();
    if (fault === "crashAfter") this.crash(life);
    return value;
  }

  clockOf(life: Life): Clock {
    return {
      now: () => this.#world.time.wallMs(),
      elapsed: () => this.#world.time.elapsedMs,
      after: (delayMs, callback) => this.#world.time.after(delayMs, () => life.dead || callback()),
    };
  }

  #awake(): Life {
    if (this.#life !== undefined) return this.#life;
    const version = this.#options.version();
    const life: Life = { dead: false, version, calls: new Set(), host: undefined };
    const guard: Guard = {
      cross: <T>(boundary: Boundary, access: () => T): T => this.cross(life, boundary, access),
      undone: () => undefined,
    };
    const { bug, observer, program, sink } = this.#options;
    const ports: RunHostPorts = {
      store: new GuardedStore(this.#disk.open(), guard, observer),
      alarm: this.#alarmOf(life),
      clock: this.clockOf(life),
      program: (start) => program(life, start),
      outbox: sink(life),
      models,
      codeVersion: version.label,
      deployment: version.label,
      drivesAtOnce: this.#world.faults.drivesAtOnce ?? false,
    };
    const planted = bug?.ports?.(ports) ?? ports;
    life.host = bug?.host?.(planted) ?? new RunHost(planted);
    this.#life = life;
    return life;
  }

  /** H4: the handler throws only when it could set no alarm. */
  #handlerThrew(error: unknown): void {
    if (!this.alarmFailed) this.#options.onViolation(`H4: alarm() threw ${String(error)}`);
    this.#ringForFailed();
  }

  /** The platform rings again for a handler that failed, unless an alarm is set. */
  #ringForFailed(): void {
    if (this.alarmAtMs !== null) return;
    if (this.#world.faults.alarmRetried)
      this.alarmAtMs = this.#world.time.wallMs() + PLATFORM_RETRY_MS;
    else this.alarmLost = true;
  }

  #die(life: Life): void {
    if (life.dead) return;
    life.dead = true;
    if (this.#life === life) this.#life = undefined;
    this.#options.onFault(life);
    for (const lost of life.calls) lost("lost");
    if (this.#ringing === life) {
      this.#ringing = undefined;
      this.#ringForFailed();
      this.#arm();
    }
  }

  #alarmOf(life: Life): AlarmSlot {
    return {
      get: () => this.#slowly(life, () => this.cross(life, "alarm", () => this.alarmAtMs)),
      set: (atMs) =>
        this.#slowly(life, () => this.cross(life, "alarm", () => this.#setAlarm(atMs))),
      delete: () => this.#slowly(life, () => this.cross(life, "alarm", () => this.#setAlarm(null))),
    };
  }

  /** Takes effect at once; its caller may hear of it only after others have had a turn. */
  async #slowly<T>(life: Life, access: () => T): Promise<T> {
    const value = access();
    if (this.#world.random() < 0.2)
      await new Promise<void>((resolve) => this.#world.time.after(0, () => life.dead || resolve()));
    return value;
  }

  #setAlarm(atMs: number | null): void {
    this.alarmAtMs = atMs;
    this.alarmFailed = false;
    this.#alarmsSet++;
    this.#stuck = false;
    this.#arm();
  }

  #arm(): void {
    this.#cancelRing?.();
    this.#cancelRing = undefined;
    if (this.alarmAtMs === null || this.#stuck || this.#ringing !== undefined) return;
    const delayMs = this.#world.time.untilMs(this.alarmAtMs);
    if (delayMs === undefined) return;
    const fate = this.#fate();
    if (fate === "lost" || fate === "stuck") {
      this.alarmLost = true;
      if (fate === "lost") this.alarmAtMs = null;
      else this.#stuck = true;
      return;
    }
    const lateMs = Math.floor(
      fate === "late"
        ? this.#world.random() * 90_000
        : fate === "early"
          ? -this.#world.random() * delayMs
          : 0,
    );
    this.#cancelRing = this.#world.time.after(delayMs + lateMs, () => this.#ring(fate === "twice"));
  }

  #fate(): AlarmFate {
    if (!this.#world.faulty || this.#alarmsSet === 0) return "exact";
    const { alarms } = this.#world.faults;
    return alarms[Math.min(this.#alarmsSet, alarms.length) - 1] ?? "exact";
  }

  #ring(again: boolean): void {
    this.rings++;
    this.alarmAtMs = null;
    this.#ringAgain = again;
    const life = this.#awake();
    this.#ringing = life;
    this.call(
      (host) => host.alarm(),
      (result) => {
        if (result === "lost") return;
        this.#ringing = undefined;
        if ("error" in result) this.#handlerThrew(result.error);
        if (this.#ringAgain) return this.#ring(false);
        this.#arm();
      },
    );
  }
}
