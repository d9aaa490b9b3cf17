// Simulate: one program in one world, with all runs that it starts, to the end, and what was wrong about it.
import { EngineError } from "../../src/base/error.ts";
import type { JsonValue } from "../../src/base/json.ts";
import type { StepRecord } from "../../src/journal/journal-store.ts";
import type { ChildReport } from "../../src/runtime/children/child-run.ts";
import { isDrivable, isTerminal, type Run } from "../../src/runtime/run.ts";
import type { RunHost } from "../../src/runtime/run-host.ts";
import { EventClient } from "./event-client.ts";
import type { Faults } from "./faults.ts";
import { Network, TENANT } from "./network.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import type { ChildAsked, ProgramNode } from "./program.ts";
import type { ChildFacts } from "./reference.ts";
import type { CallResult } from "./run-object.ts";
import { SimulatedRun, type RunInputs } from "./simulated-run.ts";
import type { StoreKind } from "./stores.ts";
import { World } from "./world.ts";

export type Case = {
  readonly program: ProgramNode;
  readonly faults: Faults;
  readonly store: StoreKind;
  readonly bug?: PlantedBug | undefined;
};

export type Report = {
  readonly violations: readonly string[];
  /** Runs that were started, the program's own and its children. */
  readonly runs: number;
  readonly crashes: number;
  readonly failures: number;
  readonly boundaries: number;
  readonly drives: number;
  readonly end: string;
};

const ROOT_ID = "run";
const FORK_ID = "fork";
const CLIENT_RETRY_MS = 1_000;
const MAX_ROUNDS = 300;
const MAX_DRIVES_WITHOUT_PROGRESS = 10;
/** Longer than any lease: the sweeper has come by. */
const SWEEP_MS = 6 * 60_000;
/** Attempts to start and to cancel a child after which its parent gives up. */
const MAX_STARTS = 8;
const MAX_CANCELS = 5;
const CRON_MS = 60_000;

export async function simulate(scenario: Case): Promise<Report> {
  const simulation = new Simulation(scenario);
  return simulation.run();
}

/** A run that another one has asked for. */
type Child = ChildAsked & { readonly parent: SimulatedRun };

class Simulation {
  readonly #scenario: Case;
  readonly #world: World;
  readonly #network: Network;
  readonly #root: SimulatedRun;
  readonly #runs = new Map<string, SimulatedRun>();
  readonly #children = new Map<string, Child>();
  /** Runs whose end their parents have asked for, or tried to. */
  readonly #cancelTried = new Set<string>();
  readonly #answering = new Set<string>();
  readonly #violations: string[] = [];
  readonly #events: EventClient;
  #waits = 0;
  #sweeps = 0;

  constructor(scenario: Case) {
    this.#scenario = scenario;
    this.#world = new World(scenario.faults);
    this.#network = new Network({
      world: this.#world,
      find: (runId) => this.#run(runId).object,
      bug: scenario.bug,
      observer: {
        cancelling: (runId) => this.#cancelling(runId),
        cancelled: (runId) => this.#run(runId).ledger.checkAborted(),
      },
    });
    this.#root = this.#run(ROOT_ID);
    this.#events = new EventClient({
      world: this.#world,
      insist: (...call) => this.#insist(...call),
      duplicate: (...call) => this.#duplicate(...call),
    });
    this.#world.onDeploy(() => this.#world.time.after(CRON_MS, () => this.#pokeHeld()));
  }

  async run(): Promise<Report> {
    const world = this.#world;
    this.#beginClient();
    await this.#rest();
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      const lost = this.#started().filter((run) => run.object.alarmLost && !run.isOver);
      if (lost.length === 0) break;
      for (const run of lost) await this.#sweep(run);
    }
    world.endFaults();
    await this.#liveness();
    const runs = this.#started();
    let end = "none";
    for (const run of world.halted ? [] : runs) {
      const view = await this.#finalView(run);
      if (view === undefined) continue;
      if (run === this.#root) end = view.error?.code ?? view.status;
      run.oracle.checkEnd(this.#askedOf(run), view);
      run.checkEvents(false);
      this.#checkReleased(run);
    }
    for (const run of this.#runs.values()) run.object.close();
    const { crashes, failures, boundaries } = world;
    const drives = runs.reduce((sum, run) => sum + run.ledger.drives, 0);
    const violations = this.#violations;
    return { violations, runs: runs.length, crashes, failures, boundaries, drives, end };
  }

  /** The run of this id, whether it has been started or not. */
  #run(id: string): SimulatedRun {
    let run = this.#runs.get(id);
    if (run === undefined) {
      const made = new SimulatedRun({
        id,
        world: this.#world,
        network: this.#network,
        store: this.#scenario.store,
        bug: this.#scenario.bug,
        family: {
          childAt: (key) => this.#childAt(made, key),
          child: (runId) => this.#child(runId),
          isDue: (atMs) => this.#isDue(atMs),
        },
        onChild: (asked) => this.#children.set(asked.runId, { ...asked, parent: made }),
        onWait: (row) => this.#waitOpened(made, row),
        onCancel: (children) => children.forEach((runId) => this.#cancelTried.add(runId)),
        onViolation: (what) => this.#violation(made === this.#root ? what : `${what} (run ${id})`),
      });
      this.#runs.set(id, (run = made));
    }
    return run;
  }

  #started(): readonly SimulatedRun[] {
    return [...this.#runs.values()].filter((run) => run.record !== undefined);
  }

  #violation(what: string): void {
    this.#violations.push(what);
    this.#world.halted = true;
  }

  /** What the run is to do, as it was asked for and not as it was started. */
  #askedOf(run: SimulatedRun): RunInputs {
    if (run === this.#root || run.id === FORK_ID)
      return { program: this.#scenario.program, input: START_INPUT };
    const child = this.#children.get(run.id);
    if (child !== undefined) return child;
    throw new Error(`nobody asked for run ${run.id}`);
  }

  #childAt(parent: SimulatedRun, key: string): ChildFacts | undefined {
    for (const child of this.#children.values())
      if (child.parent === parent && child.key === key) return this.#child(child.runId);
    return undefined;
  }

  #child(runId: string): ChildFacts | undefined {
    const child = this.#children.get(runId);
    if (child === undefined) return undefined;
    const givenUp =
      this.#network.isDeadLetter(runId) || this.#network.unreached(runId).starts >= MAX_STARTS;
    return { runId, input: child.input, report: reportOf(this.#run(runId)), givenUp };
  }

  /** A clock that jumps says nothing of how long a timer has been under way. */
  #isDue(atMs: number): boolean {
    return this.#scenario.faults.clock.length > 0 || atMs <= this.#world.time.wallMs();
  }

  /** F6: a child is cancelled when its parent has ended, or when the time of a wait for it is up. */
  #cancelling(runId: string): void {
    this.#run(runId).oracle.cancelSent = true;
    const parent = this.#children.get(runId)?.parent;
    if (parent === undefined || parent.isOver) return;
    const waits = parent.object.stored.journal
      .list(0, Number.MAX_SAFE_INTEGER)
      .filter((row) => row.wait?.runId === runId);
    if (waits.every((row) => row.state === "waiting"))
      this.#violation(`F6: run ${runId} is cancelled while its parent waits for it`);
  }

  async #rest(): Promise<void> {
    const wrong = await this.#world.rest();
    if (wrong !== undefined) this.#violation(wrong);
  }

  #beginClient(): void {
    const { client } = this.#scenario.faults;
    const { time } = this.#world;
    const root = this.#root;
    const start = { ...START, inputs: this.#askedOf(root) };
    this.#insist(root, (host) => host.start(start));
    this.#events.begin(root);
    if (client.startsTwice)
      time.after(Math.floor(this.#world.random() * 200), () =>
        this.#duplicate(root, (host) => host.start(start)),
      );
    if (client.cancelAtMs !== null) {
      time.after(client.cancelAtMs, () => {
        root.oracle.cancelSent = true;
        this.#insist(
          root,
          (host) => host.cancel("simulated"),
          () => this.#cancelled(),
        );
      });
    }
    const { fork } = client;
    if (fork != null) time.after(fork.atMs, () => this.#fork(fork.place));
    if (client.pauseAtMs !== null) {
      time.after(client.pauseAtMs, () => {
        this.#insist(
          root,
          (host) => host.pause(),
          () => {
            if (client.unpauseAfterMs !== null)
              time.after(client.unpauseAfterMs, () => this.#insist(root, (host) => host.unpause()));
          },
        );
      });
    }
  }

  /** Starts a run that goes on from before a step of the root. */
  #fork(place: number): void {
    const rows = this.#root.object.stored.journal.list(0, Number.MAX_SAFE_INTEGER);
    const before = rows[place % Math.max(1, rows.length)];
    if (before === undefined) return;
    const point = { fromStep: before.key };
    this.#insist(
      this.#root,
      async (host) => host.forks.recordBefore(point),
      ({ start, origin, rows: adopted }) => {
        const fork = this.#run(FORK_ID);
        fork.oracle.origin = this.#root.oracle;
        this.#insist(fork, (host) => host.start({ ...start, id: FORK_ID, origin }, adopted));
      },
    );
  }

  #cancelled(): void {
    this.#root.oracle.cancelAccepted = true;
    this.#root.ledger.checkAborted();
    this.#duplicate(this.#root, (host) => host.cancel("again"));
  }

  #waitOpened(run: SimulatedRun, { key, wait }: StepRecord): void {
    const place = `${run.id}:${key}`;
    const isEvent = wait?.event !== undefined;
    if (wait === null || !(isEvent || isAsked(wait.kind)) || this.#answering.has(place)) return;
    const { answerAfterMs, answerWhenDue } = this.#scenario.faults.client;
    let delayMs = answerAfterMs[this.#waits++ % answerAfterMs.length] ?? null;
    if (answerWhenDue && wait.dueAtMs !== undefined)
      delayMs = this.#world.time.untilMs(wait.dueAtMs) ?? null;
    if (delayMs === null) return;
    this.#answering.add(place);
    const answer = isEvent
      ? (): void => this.#events.sendTo(run, { wait })
      : (): void => this.#answer(run, key, "first");
    this.#world.time.after(delayMs, answer);
  }

  #answer(run: SimulatedRun, key: string, which: string): void {
    const value = answerTo(
      run.object.stored.journal.get(key)?.wait?.choices,
      `${which} answer to ${key}`,
      this.#world.random,
    );
    run.oracle.sending(key, value);
    this.#insist(
      run,
      (host) => host.resume({ key, value }),
      () => {
        run.oracle.accepted(key, value);
        if (which === "first" && this.#scenario.faults.client.answersTwice)
          this.#answerAgain(run, key);
      },
    );
  }

  #answerAgain(run: SimulatedRun, key: string): void {
    const value = `second answer to ${key}`;
    this.#duplicate(run, (host) => host.resume({ key, value }));
    this.#world.time.after(Math.floor(this.#world.random() * 100), () =>
      this.#answer(run, key, "third"),
    );
  }

  /** Calls until the object has said yes or no, as a client that retries does. */
  #insist<T>(
    run: SimulatedRun,
    action: (host: RunHost) => Promise<T>,
    onAccepted: (value: T) => void = () => undefined,
  ): void {
    const { object } = run;
    if (!object.ringing && this.#world.random() < 0.2) object.evict();
    object.call(action, (result) => {
      if (result !== "lost" && "value" in result) return onAccepted(result.value);
      if (isRefusal(result)) return;
      this.#world.time.after(CLIENT_RETRY_MS, () => this.#insist(run, action, onAccepted));
    });
  }

  /** I10: what has been said before changes nothing. */
  #duplicate(run: SimulatedRun, action: (host: RunHost) => Promise<unknown>): void {
    const { object } = run;
    const { ringing, record } = object;
    const isDriven = record !== undefined && isDrivable(record);
    const mayMove = ringing || (isDriven && this.#scenario.faults.drivesAtOnce === true);
    const quiet = record !== undefined && !mayMove;
    const before = quiet ? stateOf(run) : "";
    const calls = object.calls + 1;
    object.call(action, (result) => {
      if (!quiet || result === "lost" || object.calls !== calls) return;
      if (stateOf(run) !== before)
        this.#violation(`I10: a duplicate changed run ${run.id} from ${before} to ${stateOf(run)}`);
    });
  }

  /** Nothing goes wrong any more: all runs must end, or wait for somebody; who then answers. */
  async #liveness(): Promise<void> {
    let writes = this.#writes();
    let drives = this.#drives();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await this.#rest();
      if (this.#world.halted) return;
      const writesNow = this.#writes();
      if (this.#drives() - drives > MAX_DRIVES_WITHOUT_PROGRESS && writes === writesNow)
        return this.#violation("I7: drives without progress");
      if (writes !== writesNow) drives = this.#drives();
      writes = writesNow;
      if (this.#root.record === undefined) return this.#violation("I7: the run was never started");
      this.#checkOrphans();
      if (this.#world.halted) return;
      const open = this.#started().filter(isOpen);
      if (open.length === 0) return;
      let moved = false;
      for (const run of open) if (await this.#goOn(run)) moved = true;
      if (!moved)
        return this.#violation(
          `I7: at rest, and nobody can help: ${open.map(shownRun).join("; ")}`,
        );
    }
    this.#violation(`I7: no end after ${MAX_ROUNDS} rounds`);
  }

  /** The sweeper, which wakes runs that are held. */
  #pokeHeld(): void {
    for (const { object, record } of this.#started())
      if (record?.held !== undefined)
        object.call(
          (host) => host.poke(),
          () => undefined,
        );
  }

  /** Does for an open run at rest what somebody outside has to do; false when there is nothing to do. */
  async #goOn(run: SimulatedRun): Promise<boolean> {
    const { record, object } = run;
    if (record === undefined) return false;
    if (!isOpen(run)) return true; // what was done for another run has ended this one
    if (record.paused) {
      this.#insist(run, (host) => host.unpause());
      return true;
    }
    if (record.held !== undefined && record.status === "waiting") {
      run.deployFitting();
      this.#pokeHeld();
      return true;
    }
    const open = object.stored.journal.waits();
    const timed = open.some((row) => row.wait?.dueAtMs !== undefined);
    if (record.status !== "waiting" || timed || object.stored.outbox().length > 0) {
      await this.#sweepOrComplain(run);
      return true;
    }
    run.checkEvents(true);
    const askable = open.filter((row) => row.wait !== null && isAsked(row.wait.kind));
    for (const { key } of askable) this.#answer(run, key, "late");
    const hearing = open.filter((row) => row.wait?.event !== undefined);
    for (const row of hearing) this.#events.sendTo(run, row);
    return askable.length + hearing.length > 0;
  }

  /** I13: at rest, nobody runs on for whom nobody waits, and nobody waits for a run that has ended. */
  #checkOrphans(): void {
    for (const run of this.#started()) {
      if (run === this.#root || run.id === FORK_ID) continue;
      const child = this.#children.get(run.id);
      if (child === undefined) {
        this.#violation(`I13: run ${run.id} was started, and nobody asked for it`);
        continue;
      }
      const { parent } = child;
      if (parent.object.stored.outbox().length > 0 || run.object.stored.outbox().length > 0)
        continue;
      const waits = parent.object.stored.journal
        .list(0, Number.MAX_SAFE_INTEGER)
        .filter((row) => row.wait?.runId === run.id);
      const isAwaited = !parent.isOver && waits.some((row) => row.state === "waiting");
      const { givenUp = false } = this.#child(run.id) ?? {};
      if (run.isOver && isAwaited)
        this.#violation(`I13: run ${run.id} has ended, and its parent waits for it`);
      const excused = givenUp || this.#network.unreached(run.id).cancels >= MAX_CANCELS;
      if (!run.isOver && !isAwaited && !excused)
        this.#violation(`I13: run ${run.id} goes on, and nobody waits for it`);
    }
  }

  /** F6: the end of a child was asked for if its parent has ended without its answer, or would not wait any longer. */
  #checkReleased({ object: { stored } }: SimulatedRun): void {
    const expired = new Set<string>();
    for (const event of stored.events.read(0, Number.MAX_SAFE_INTEGER))
      if (event.type === "wait_settled" && event.expired === true) expired.add(event.key);
    for (const { key, state, wait } of stored.journal.list(0, Number.MAX_SAFE_INTEGER)) {
      if (wait?.kind !== "child" || wait.runId === undefined) continue;
      if ((state === "waiting" || expired.has(key)) && !this.#cancelTried.has(wait.runId))
        this.#violation(
          `F6: nobody waits for run ${wait.runId} any more, and it was not cancelled`,
        );
    }
  }

  #writes(): number {
    return this.#started().reduce((sum, run) => sum + run.oracle.writes, 0);
  }

  #drives(): number {
    return this.#started().reduce((sum, run) => sum + run.ledger.drives, 0);
  }

  /** A run at rest that has something to do needs the sweeper, and only a lost alarm, or one that could not be set, excuses it. */
  async #sweepOrComplain(run: SimulatedRun): Promise<void> {
    const { alarmLost, alarmFailed, record, ringing } = run.object;
    if (!alarmLost && !alarmFailed) {
      const why = ringing ? "its alarm is served without end" : "no alarm is set";
      run.oracle.violation(
        `I7: the run is at rest, ${record?.status}, with something to do: ${why}`,
      );
    }
    await this.#sweep(run);
  }

  /** The sweeper pokes the runs whose lease has run out; one that the index does not know is poked by its client. */
  async #sweep(run: SimulatedRun): Promise<void> {
    const { time } = this.#world;
    const lease = run.oracle.index?.leaseUntilMs ?? null;
    const leaseMs = lease === null ? 0 : (time.untilMs(lease) ?? 0);
    time.after(Math.max(SWEEP_MS * 2 ** Math.min(this.#sweeps++, 10), leaseMs + 1), () =>
      run.object.call(
        (host) => host.poke(),
        () => undefined,
      ),
    );
    await this.#rest();
  }

  async #finalView({ object }: SimulatedRun): Promise<Run | undefined> {
    object.evict();
    let view: Run | undefined;
    object.call(
      (host) => host.status(),
      (result) => {
        if (result !== "lost" && "value" in result) view = result.value;
      },
    );
    await this.#rest();
    return view;
  }
}

const START_INPUT = "start";
const START = { id: ROOT_ID, tenant: TENANT, kind: "crew", name: "simulated" } as const;

/** What a person says: one of the choices, if there are any. */
function answerTo(
  choices: readonly string[] | undefined,
  words: string,
  random: () => number,
): string {
  return choices?.[Math.floor(random() * choices.length)] ?? words;
}

/** True for a run that goes on, or still owes something. */
function isOpen(run: SimulatedRun): boolean {
  return !run.isOver || run.object.stored.outbox().length > 0;
}

function shownRun({ id, record, object }: SimulatedRun): string {
  const waits = object.stored.journal.waits().map(({ key, wait }) => `${wait?.kind} ${key}`);
  const owed = object.stored.outbox().map((entry) => entry.id);
  return `run ${id} is ${record?.status}, waits for [${waits.join()}], owes [${owed.join()}]`;
}

function isAsked(kind: string): boolean {
  return kind === "human" || kind === "input";
}

/** What a duplicate must not change. Debts may be paid at any moment, so they are left out. */
function stateOf({ object: { stored } }: SimulatedRun): string {
  return JSON.stringify([stored.load(), stored.journal.list(0, 10_000), stored.events.lastSeq()]);
}

/** How a run has ended, as it is on record there. */
function reportOf({ record, object }: SimulatedRun): ChildReport | undefined {
  if (record === undefined || !isTerminal(record.status)) return undefined;
  const { id, status, error } = record;
  const ended = { runId: id, status, usage: object.stored.journal.usage() };
  if (error !== null) return { ...ended, error };
  return { ...ended, output: JSON.parse(object.stored.value("output") ?? "null") as JsonValue };
}

/** True for an answer that another try will not change. */
function isRefusal(result: CallResult<unknown>): boolean {
  return (
    result !== "lost" &&
    "error" in result &&
    EngineError.is(result.error) &&
    (result.error.code === "conflict" || result.error.code === "invalid_input")
  );
}
