// World: one object on its platform. It has a storage, one alarm and a clock, and its host may die at any boundary.
import type { Clock } from "../../src/base/clock.ts";
import { PlatformFault } from "../../src/base/platform-fault.ts";
import type { RunRecord } from "../../src/runtime/run.ts";
import { RunHost, type AlarmSlot } from "../../src/runtime/run-host.ts";
import type { RunProgram } from "../../src/runtime/run-program.ts";
import type { OutboxSink } from "../../src/runtime/outbox.ts";
import type { RunStore } from "../../src/runtime/run-store.ts";
import type { AlarmFate, Faults } from "./faults.ts";
import { GuardedStore, type Guard, type StoreObserver } from "./guarded-store.ts";
import { newDisk, type Disk, type StoreKind } from "./stores.ts";
import { seededRandom, VirtualTime } from "./virtual-time.ts";

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

const PLATFORM_RETRY_MS = 2_000;
/** Nothing that a run does takes so many events: something goes round in circles. */
const MAX_EVENTS = 60_000;

/** How a call of the object ended for its caller. */
export type CallResult<T> = { readonly value: T } | { readonly error: unknown } | "lost";

/** One instance of the object's host: everything in memory dies with it. */
export type Life = {
  dead: boolean;
  readonly calls: Set<(result: "lost") => void>;
  host: RunHost | undefined;
};

export type WorldOptions = {
  readonly store: StoreKind;
  readonly faults: Faults;
  readonly observer: StoreObserver;
  readonly program: (life: Life) => RunProgram;
  readonly sink: (life: Life) => OutboxSink;
  /** Told when a host dies, or when its storage fails. */
  readonly onFault: (life: Life) => void;
  readonly onViolation: (what: string) => void;
};

export class World {
  readonly time: VirtualTime;
  readonly random: () => number;
  crashes = 0;
  failures = 0;
  /** Boundaries crossed so far. */
  boundaries = 0;
  /** True when an alarm has been lost, so that only the sweeper can help. */
  alarmLost = false;
  /** True when the alarm could not be set. */
  alarmFailed = false;
  alarmAtMs: number | null = null;
  /** How often the alarm has rung. */
  rings = 0;
  /** How often the object was called, its alarm included. */
  calls = 0;
  #stored: RunStore;
  #faulty = true;
  #life: Life | undefined;
  #ringing: Life | undefined;
  #ringAgain = false;
  #cancelRing: (() => void) | undefined;
  #alarmsSet = 0;
  #stuck = false;
  #faultIndex = 0;
  #sinceFault = 0;
  #failing = 0;
  readonly #disk: Disk;
  readonly #options: WorldOptions;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.random = seededRandom(options.faults.salt);
    this.time = new VirtualTime(this.random);
    this.time.onWallChanged = () => this.#arm();
    this.#disk = newDisk(options.store);
    this.#stored = this.#disk.open();
    for (const { atMs, jumpMs, frozenMs } of options.faults.clock) {
      this.time.after(atMs, () => {
        if (!this.#faulty) return;
        if (jumpMs !== 0) this.time.jump(jumpMs);
        if (frozenMs > 0) this.time.freeze(frozenMs);
      });
    }
  }

  /** The storage as it is, past all faults. */
  get stored(): RunStore {
    return this.#stored;
  }

  get record(): RunRecord | undefined {
    return this.stored.load();
  }

  get ringing(): boolean {
    return this.#ringing !== undefined;
  }

  get faulty(): boolean {
    return this.#faulty;
  }

  /** From now on nothing goes wrong any more. */
  endFaults(): void {
    this.#faulty = false;
    this.time.thaw();
    this.#arm();
  }

  close(): void {
    if (this.#life !== undefined) this.#life.dead = true;
    this.#disk.close();
  }

  /** Lets everything happen that will happen by itself. */
  async rest(): Promise<void> {
    await microtasks();
    for (let events = 0; this.time.step(); events++) {
      await microtasks();
      if (events > MAX_EVENTS)
        return this.#options.onViolation(`I7: no rest after ${MAX_EVENTS} events`);
    }
  }

  /** Calls the object as a client does; `done` is told once, never synchronously. */
  call<T>(action: (host: RunHost) => Promise<T>, done: (result: CallResult<T>) => void): void {
    this.calls++;
    const life = this.#awake();
    const onLost = (): void => {
      this.time.after(0, () => done("lost"));
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

  /** Drops the host while it is idle, or, if it is not, in the midst of it. */
  evict(): void {
    if (this.#life !== undefined) this.#die(this.#life);
  }

  /** Ends this life here and now, as from within it. Always throws. */
  crash(life: Life): never {
    this.crashes++;
    this.#die(life);
    throw new HostLost();
  }

  /** Lets an access of this life through, fails it, or ends the life. */
  cross<T>(life: Life, boundary: Boundary, access: () => T): T {
    if (life.dead) throw new HostLost();
    const fault = this.#nextFault(boundary);
    if (fault === "crashBefore") this.crash(life);
    if (fault === "full" || fault === "lost") {
      this.failures++;
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
      now: () => this.time.wallMs(),
      after: (delayMs, callback) => this.time.after(delayMs, () => life.dead || callback()),
    };
  }

  #nextFault(boundary: Boundary): string | undefined {
    if (!this.#faulty) return undefined;
    this.boundaries++;
    const { boundaries } = this.#options.faults;
    const fault = boundaries[this.#faultIndex];
    if (fault === undefined || (fault.where === "calls" && !this.#isCallers(boundary)))
      return undefined;
    if (this.#failing > 0) {
      if (--this.#failing === 0) this.#passFault();
      return fault.kind;
    }
    if (this.#sinceFault++ < fault.gap) return undefined;
    if (fault.kind === "full" || fault.kind === "lost") {
      this.#failing = fault.times - 1;
      if (this.#failing === 0) this.#passFault();
    } else {
      this.#passFault();
    }
    return boundary === "read" && fault.kind === "crashAfter" ? "crashBefore" : fault.kind;
  }

  #isCallers(boundary: Boundary): boolean {
    return this.#ringing === undefined && (boundary === "commit" || boundary === "alarm");
  }

  #passFault(): void {
    this.#faultIndex++;
    this.#sinceFault = 0;
  }

  #awake(): Life {
    if (this.#life !== undefined) return this.#life;
    const life: Life = { dead: false, calls: new Set(), host: undefined };
    const guard: Guard = {
      cross: <T>(boundary: Boundary, access: () => T): T => this.cross(life, boundary, access),
      undone: () => (this.#stored = this.#disk.open()),
    };
    life.host = new RunHost({
      store: new GuardedStore(this.#disk.open(), guard, this.#options.observer),
      alarm: this.#alarmOf(life),
      clock: this.clockOf(life),
      program: () => this.#options.program(life),
      outbox: this.#options.sink(life),
      models: () => {
        throw new Error("simulated programs have no models");
      },
    });
    this.#life = life;
    return life;
  }

  #die(life: Life): void {
    if (life.dead) return;
    life.dead = true;
    if (this.#life === life) this.#life = undefined;
    this.#options.onFault(life);
    for (const lost of life.calls) lost("lost");
    if (this.#ringing === life) {
      this.#ringing = undefined;
      if (this.alarmAtMs === null && this.#options.faults.alarmRetried)
        this.alarmAtMs = this.time.wallMs() + PLATFORM_RETRY_MS;
      else if (this.alarmAtMs === null) this.alarmLost = true;
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
    if (this.random() < 0.2)
      await new Promise<void>((resolve) => this.time.after(0, () => life.dead || resolve()));
    return value;
  }

  #setAlarm(atMs: number | null): void {
    this.alarmAtMs = atMs;
    this.#alarmsSet++;
    this.#stuck = false;
    this.#arm();
  }

  #arm(): void {
    this.#cancelRing?.();
    this.#cancelRing = undefined;
    if (this.alarmAtMs === null || this.#stuck || this.#ringing !== undefined) return;
    const delayMs = this.time.untilMs(this.alarmAtMs);
    if (delayMs === undefined) return;
    const fate = this.#fate();
    if (fate === "lost" || fate === "stuck") {
      this.alarmLost = true;
      if (fate === "lost") this.alarmAtMs = null;
      else this.#stuck = true;
      return;
    }
    const lateMs = Math.floor(
      fate === "late" ? this.random() * 90_000 : fate === "early" ? -this.random() * delayMs : 0,
    );
    this.#cancelRing = this.time.after(delayMs + lateMs, () => this.#ring(fate === "twice"));
  }

  #fate(): AlarmFate {
    if (!this.#faulty || this.#alarmsSet === 0) return "exact";
    const { alarms } = this.#options.faults;
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
        if ("error" in result)
          this.#options.onViolation(`H4: alarm() threw ${String(result.error)}`);
        if (this.#ringAgain) return this.#ring(false);
        this.#arm();
      },
    );
  }
}

export type Boundary = "read" | "write" | "commit" | "alarm" | "action" | "outbox";

/** Resolves when no promise has anything left to do. */
export function microtasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
