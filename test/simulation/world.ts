// World: what all runs of one simulation share. It has a clock, chance, and the faults that are to come.
import { codeAfter, FIRST_VERSION, type Code, type Version } from "./deploys.ts";
import type { Fault, Faults } from "./faults.ts";
import { seededRandom, VirtualTime } from "./virtual-time.ts";

/** Nothing that a run does takes so many events: something goes round in circles. */
const MAX_EVENTS = 60_000;

export type Boundary = "read" | "write" | "commit" | "alarm" | "action" | "outbox";

export class World {
  readonly time: VirtualTime;
  readonly random: () => number;
  readonly faults: Faults;
  crashes = 0;
  failures = 0;
  /** Versions of the code that came after the first. */
  deploys = 0;
  /** What new hosts run. */
  version: Version = FIRST_VERSION;
  /** Boundaries crossed so far, those of all objects. */
  boundaries = 0;
  /** A rule is broken: nothing more needs to happen. */
  halted = false;
  #faulty = true;
  #faultIndex = 0;
  #sinceFault = 0;
  #failing = 0;
  readonly #alarms: Array<() => void> = [];
  readonly #deployed: Array<() => void> = [];

  constructor(faults: Faults) {
    this.faults = faults;
    this.random = seededRandom(faults.salt);
    this.time = new VirtualTime(this.random);
    this.time.onWallChanged = () => this.#rearm();
    for (const { atMs, jumpMs, frozenMs } of faults.clock) {
      this.time.after(atMs, () => {
        if (!this.#faulty) return;
        if (jumpMs !== 0) this.time.jump(jumpMs);
        if (frozenMs > 0) this.time.freeze(frozenMs);
      });
    }
    for (const deploy of faults.deploys ?? []) {
      this.time.after(deploy.atMs, () => {
        if (!this.#faulty) return;
        this.version = this.newVersion(codeAfter(this.version.code, deploy));
        for (const deployed of this.#deployed) deployed();
      });
    }
  }

  get faulty(): boolean {
    return this.#faulty;
  }

  /** Calls `rearm` whenever alarms may be due at another time than before. */
  onAlarmsChanged(rearm: () => void): void {
    this.#alarms.push(rearm);
  }

  /** Calls `deployed` after each deploy. */
  onDeploy(deployed: () => void): void {
    this.#deployed.push(deployed);
  }

  newVersion(code: Code): Version {
    return { label: `v${++this.deploys}`, code };
  }

  /** From now on nothing goes wrong any more. */
  endFaults(): void {
    this.#faulty = false;
    this.time.thaw();
    this.#rearm();
  }

  /** Lets everything happen that will happen by itself. Answers what is wrong when there is no end of it. */
  async rest(): Promise<string | undefined> {
    await microtasks();
    for (let events = 0; !this.halted && this.time.step(); events++) {
      await microtasks();
      if (events > MAX_EVENTS) return `I7: no rest after ${MAX_EVENTS} events`;
    }
    return undefined;
  }

  /** What goes wrong at this boundary; `ringing` while the object serves its alarm. */
  nextFault(boundary: Boundary, ringing: boolean): Fault["kind"] | undefined {
    if (!this.#faulty) return undefined;
    this.boundaries++;
    const fault = this.faults.boundaries[this.#faultIndex];
    const isCallers = !ringing && (boundary === "commit" || boundary === "alarm");
    if (fault === undefined || (fault.where === "calls" && !isCallers)) return undefined;
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

  #passFault(): void {
    this.#faultIndex++;
    this.#sinceFault = 0;
  }

  #rearm(): void {
    for (const rearm of this.#alarms) rearm();
  }
}

/** Resolves when no promise has anything left to do. */
export function microtasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
