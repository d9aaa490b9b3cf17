// Simulate: one program in one world, from its start to its end, and what was wrong about it.
import { EngineError } from "../../src/base/error.ts";
import type { StepRecord } from "../../src/journal/journal-store.ts";
import { isTerminal, type Run } from "../../src/runtime/run.ts";
import type { RunHost } from "../../src/runtime/run-host.ts";
import type { Faults } from "./faults.ts";
import { Ledger } from "./ledger.ts";
import { Oracle, START_INPUT } from "./oracle.ts";
import { runNode, type ProgramNode } from "./program.ts";
import type { StoreKind } from "./stores.ts";
import { World, type CallResult, type Life } from "./world.ts";

export type Case = {
  readonly program: ProgramNode;
  readonly faults: Faults;
  readonly store: StoreKind;
};

export type Report = {
  readonly violations: readonly string[];
  readonly crashes: number;
  readonly failures: number;
  readonly boundaries: number;
  readonly drives: number;
  readonly end: string;
};

export const RUN_ID = "run";
const CLIENT_RETRY_MS = 1_000;
const MAX_ROUNDS = 300;
const MAX_DRIVES_WITHOUT_PROGRESS = 10;
/** Longer than any lease: the sweeper has come by. */
const SWEEP_MS = 6 * 60_000;

export async function simulate(scenario: Case): Promise<Report> {
  const simulation = new Simulation(scenario);
  return simulation.run();
}

class Simulation {
  readonly #scenario: Case;
  readonly #oracle = new Oracle();
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #answering = new Set<string>();
  #waits = 0;
  #sweeps = 0;
  #indexCalls = 0;

  constructor(scenario: Case) {
    this.#scenario = scenario;
    const oracle = this.#oracle;
    this.#world = new World({
      store: scenario.store,
      faults: scenario.faults,
      observer: oracle,
      program: (life) => ({ tasks: [], run: (scope) => this.#drive(life, scope) }),
      sink: (life) => ({ index: (row) => this.#index(life, row) }),
      onFault: (life) => {
        const { drive } = this.#ledger;
        const midDrive =
          life.dead &&
          this.#world.ringing &&
          drive?.life === life &&
          drive.ring === this.#world.rings &&
          this.#world.record?.driving === true;
        if (midDrive && this.#world.alarmAtMs === null && !this.#world.alarmLost)
          oracle.violation("H3: the host died in a drive, and no alarm was set");
        this.#ledger.fault(life);
        oracle.fault();
      },
      onViolation: (what) => oracle.violation(what),
    });
    this.#ledger = new Ledger(this.#world, (what) => oracle.violation(what));
    oracle.attach(this.#world, this.#ledger);
    oracle.onWait = (row) => this.#waitOpened(row);
  }

  async run(): Promise<Report> {
    const world = this.#world;
    this.#beginClient();
    await world.rest();
    for (let sweeps = 0; sweeps < 3 && world.alarmLost && !this.#over; sweeps++)
      await this.#sweep();
    world.endFaults();
    await this.#liveness();
    const run = await this.#finalView();
    if (run !== undefined) this.#oracle.checkEnd(this.#scenario.program, run);
    world.close();
    const { crashes, failures, boundaries } = world;
    const end = run?.error?.code ?? run?.status ?? "none";
    return {
      violations: this.#oracle.violations,
      crashes,
      failures,
      boundaries,
      drives: this.#ledger.drives,
      end,
    };
  }

  get #over(): boolean {
    const status = this.#world.record?.status;
    return status !== undefined && isTerminal(status);
  }

  #drive(life: Life, scope: Parameters<typeof runNode>[1]): ReturnType<typeof runNode> {
    this.#oracle.driveBegins();
    this.#ledger.beginDrive(life);
    return runNode(this.#scenario.program, scope, {
      input: START_INPUT,
      outside: this.#ledger.outsideOf(life),
    });
  }

  async #index(life: Life, row: Parameters<Oracle["indexing"]>[0]): Promise<void> {
    const { index } = this.#scenario.faults;
    const fate = this.#world.faulty
      ? index[Math.min(this.#indexCalls++, index.length - 1)]
      : "taken";
    if (fate === "down") throw new Error("D1_ERROR: the database is down");
    this.#world.cross(life, "outbox", () => this.#oracle.indexing(row));
    if (fate === "unacknowledged") throw new Error("D1_ERROR: no acknowledgement");
    await new Promise<void>((resolve) => this.#world.time.after(1, () => life.dead || resolve()));
  }

  #beginClient(): void {
    const { client } = this.#scenario.faults;
    const { time } = this.#world;
    this.#insist((host) => host.start(START));
    if (client.startsTwice)
      time.after(Math.floor(this.#world.random() * 200), () =>
        this.#duplicate((host) => host.start(START)),
      );
    if (client.cancelAtMs !== null) {
      time.after(client.cancelAtMs, () => {
        this.#oracle.cancelSent = true;
        this.#insist(
          (host) => host.cancel("simulated"),
          () => this.#cancelled(),
        );
      });
    }
    if (client.pauseAtMs !== null) {
      time.after(client.pauseAtMs, () => {
        this.#insist(
          (host) => host.pause(),
          () => {
            if (client.unpauseAfterMs !== null)
              time.after(client.unpauseAfterMs, () => this.#insist((host) => host.unpause()));
          },
        );
      });
    }
  }

  #cancelled(): void {
    this.#oracle.cancelAccepted = true;
    this.#ledger.checkAborted();
    this.#duplicate((host) => host.cancel("again"));
  }

  #waitOpened({ key, wait }: StepRecord): void {
    if (wait === null || wait.kind === "timer" || wait.kind === "child" || this.#answering.has(key))
      return;
    const { answerAfterMs, answerWhenDue } = this.#scenario.faults.client;
    let delayMs = answerAfterMs[this.#waits++ % answerAfterMs.length] ?? null;
    if (answerWhenDue && wait.dueAtMs !== undefined)
      delayMs = this.#world.time.untilMs(wait.dueAtMs) ?? null;
    if (delayMs === null) return;
    this.#answering.add(key);
    this.#world.time.after(delayMs, () => this.#answer(key, "first"));
  }

  #answer(key: string, which: string): void {
    const value = `${which} answer to ${key}`;
    this.#oracle.sending(key, value);
    this.#insist(
      (host) => host.resume({ key, value }),
      () => {
        this.#oracle.accepted(key, value);
        if (which === "first" && this.#scenario.faults.client.answersTwice) this.#answerAgain(key);
      },
    );
  }

  #answerAgain(key: string): void {
    const value = `second answer to ${key}`;
    this.#duplicate((host) => host.resume({ key, value }));
    this.#world.time.after(Math.floor(this.#world.random() * 100), () =>
      this.#answer(key, "third"),
    );
  }

  /** Calls until the object has said yes or no, as a client that retries does. */
  #insist<T>(
    action: (host: RunHost) => Promise<T>,
    onAccepted: (value: T) => void = () => undefined,
  ): void {
    if (!this.#world.ringing && this.#world.random() < 0.2) this.#world.evict();
    this.#world.call(action, (result) => {
      if (result !== "lost" && "value" in result) return onAccepted(result.value);
      if (isRefusal(result)) return;
      this.#world.time.after(CLIENT_RETRY_MS, () => this.#insist(action, onAccepted));
    });
  }

  /** I10: what has been said before changes nothing. */
  #duplicate(action: (host: RunHost) => Promise<unknown>): void {
    const world = this.#world;
    const quiet = !world.ringing && world.record !== undefined;
    const before = quiet ? this.#state() : "";
    const calls = world.calls + 1;
    world.call(action, (result) => {
      if (!quiet || result === "lost" || world.calls !== calls) return;
      if (this.#state() !== before)
        this.#oracle.violation(
          `I10: a duplicate changed the run from ${before} to ${this.#state()}`,
        );
    });
  }

  /** What a duplicate must not change. Debts may be paid at any moment, so they are left out. */
  #state(): string {
    const { stored } = this.#world;
    return JSON.stringify([stored.load(), stored.journal.list(0, 10_000), stored.events.lastSeq()]);
  }

  /** Nothing goes wrong any more: the run must end, or wait for somebody; who then answers. */
  async #liveness(): Promise<void> {
    const world = this.#world;
    let writes = this.#oracle.writes;
    let { drives } = this.#ledger;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await world.rest();
      if (
        this.#ledger.drives - drives > MAX_DRIVES_WITHOUT_PROGRESS &&
        writes === this.#oracle.writes
      )
        return this.#oracle.violation("I7: drives without progress");
      if (writes !== this.#oracle.writes) ({ drives } = this.#ledger);
      writes = this.#oracle.writes;
      const record = world.record;
      if (record === undefined) return this.#oracle.violation("I7: the run was never started");
      if (isTerminal(record.status)) {
        if (world.stored.outbox().length === 0) return;
        await this.#sweepOrComplain();
      } else if (record.paused) {
        this.#insist((host) => host.unpause());
      } else {
        const open = world.stored.journal.waits();
        const askable = open.filter(
          (row) => row.wait?.kind === "human" || row.wait?.kind === "input",
        );
        const timed = open.some((row) => row.wait?.dueAtMs !== undefined);
        if (record.status !== "waiting" || timed) await this.#sweepOrComplain();
        else if (askable.length === 0)
          return this.#oracle.violation("I7: the run waits for nothing");
        else for (const { key } of askable) this.#answer(key, "late");
      }
    }
    this.#oracle.violation(`I7: no end after ${MAX_ROUNDS} rounds`);
  }

  /** A run at rest that has something to do needs the sweeper, and only a lost alarm, or one that could not be set, excuses it. */
  async #sweepOrComplain(): Promise<void> {
    const { alarmLost, alarmFailed, record } = this.#world;
    const excused = alarmLost || alarmFailed;
    if (!excused)
      this.#oracle.violation(
        `I7: the run is at rest, ${record?.status}, with something to do and no alarm`,
      );
    await this.#sweep();
  }

  /** The sweeper pokes the runs whose lease has run out; one that the index does not know is poked by its client. */
  async #sweep(): Promise<void> {
    const world = this.#world;
    const lease = this.#oracle.index?.leaseUntilMs ?? null;
    const leaseMs = lease === null ? 0 : (world.time.untilMs(lease) ?? 0);
    world.time.after(Math.max(SWEEP_MS * 2 ** Math.min(this.#sweeps++, 10), leaseMs + 1), () =>
      world.call(
        (host) => host.poke(),
        () => undefined,
      ),
    );
    await world.rest();
  }

  async #finalView(): Promise<Run | undefined> {
    const world = this.#world;
    world.evict();
    let run: Run | undefined;
    world.call(
      (host) => host.status(),
      (result) => {
        if (result !== "lost" && "value" in result) run = result.value;
      },
    );
    await world.rest();
    return run;
  }
}

const START = {
  id: RUN_ID,
  tenant: "t",
  kind: "crew",
  name: "simulated",
  inputs: { topic: "ü" },
} as const;

/** True for an answer that another try will not change. */
function isRefusal(result: CallResult<unknown>): boolean {
  return (
    result !== "lost" &&
    "error" in result &&
    EngineError.is(result.error) &&
    (result.error.code === "conflict" || result.error.code === "invalid_input")
  );
}
