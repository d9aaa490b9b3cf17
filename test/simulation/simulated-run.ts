// Simulated run: one run of a simulation, with its object, and with who watches it.
import {
  isDrivable,
  isTerminal,
  type RunIndexRow,
  type RunRecord,
  type RunStart,
} from "../../src/runtime/run.ts";
import { OutsideEvents } from "../../src/runtime/outside-events.ts";
import type { RunScope } from "../../src/events/run-scope.ts";
import type { JsonValue } from "../../src/base/json.ts";
import type { StepRecord } from "../../src/journal/journal-store.ts";
import { placeIn, renamedAt, type Version } from "./deploys.ts";
import { EventBook } from "./event-book.ts";
import { Ledger } from "./ledger.ts";
import type { Network } from "./network.ts";
import { Oracle, type Family } from "./oracle.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import { runNode, type ChildAsked, type ProgramNode } from "./program.ts";
import { RunObject, type Life } from "./run-object.ts";
import type { StoreKind } from "./stores.ts";
import type { World } from "./world.ts";

export type SimulatedRunOptions = {
  readonly id: string;
  readonly world: World;
  readonly network: Network;
  readonly store: StoreKind;
  readonly bug: PlantedBug | undefined;
  readonly family: Family;
  readonly onChild: (asked: ChildAsked) => void;
  readonly onWait: (row: StepRecord) => void;
  /** Called before the run asks for the end of children, whatever becomes of that. */
  readonly onCancel: (children: readonly string[]) => void;
  readonly onViolation: (what: string) => void;
};

export class SimulatedRun {
  readonly id: string;
  readonly object: RunObject;
  readonly oracle: Oracle;
  readonly ledger: Ledger;
  /** What was sent to it. */
  readonly events = new EventBook();
  readonly #world: World;
  readonly #onCancel: (children: readonly string[]) => void;
  #indexCalls = 0;
  /** What has been deployed for this run alone. */
  #own: Version | undefined;

  constructor(options: SimulatedRunOptions) {
    const { id, world, network, store, bug, family, onChild, onWait, onViolation } = options;
    this.#onCancel = options.onCancel;
    this.id = id;
    this.#world = world;
    this.oracle = new Oracle(family, onViolation);
    this.object = new RunObject({
      world,
      store,
      bug,
      observer: this.oracle,
      version: () => this.#own ?? world.version,
      program: (life, start) => ({
        tasks: [],
        run: (scope) => this.#drive(life, start, scope),
        outsideEvents: (events) => new OutsideEvents(events),
      }),
      sink: (life) => ({ index: (row) => this.#index(life, row), ...this.#peersOf(life, network) }),
      onFault: (life) => this.#faulted(life),
      onViolation,
    });
    const violation = onViolation;
    this.ledger = new Ledger({ world, object: this.object, bug, onChild, violation });
    this.oracle.attach(this.object, this.ledger);
    this.oracle.onWait = onWait;
    world.onDeploy(() => this.#deployed());
  }

  get record(): RunRecord | undefined {
    return this.object.record;
  }

  /** True once it has ended. */
  get isOver(): boolean {
    const status = this.record?.status;
    return status !== undefined && isTerminal(status);
  }

  /** Complains of an event that did not do what it should; `atRest` when nothing will happen by itself. */
  checkEvents(atRest: boolean): void {
    const wrong = this.events.wrong(this.object.stored, { atRest });
    if (wrong !== undefined) this.oracle.violation(wrong);
  }

  /** A held run that the code of its last step has come back to, in a version of its own. */
  deployFitting(): void {
    const renamed = this.oracle.fittingPlace;
    this.#own = this.#world.newVersion({ ...this.#world.version.code, renamed });
    this.#deployed();
  }

  /** A deploy ends every host, in the midst of what it does. */
  #deployed(): void {
    this.oracle.deployed();
    this.object.evict();
  }

  #drive(life: Life, { inputs }: RunStart, scope: RunScope): Promise<JsonValue> {
    const { program, input } = inputs as RunInputs;
    const { code } = life.version;
    const place = placeIn(program, code);
    this.oracle.driveBegins({ place, prompts: code.prompts });
    this.ledger.beginDrive(life);
    return runNode(renamedAt(program, place), scope, {
      input,
      outside: this.ledger.outsideOf(life),
    });
  }

  async #index(life: Life, row: RunIndexRow): Promise<void> {
    const { index } = this.#world.faults;
    const fate = this.#world.faulty
      ? index[Math.min(this.#indexCalls++, index.length - 1)]
      : "taken";
    if (fate === "down") throw new Error("D1_ERROR: the database is down");
    this.object.cross(life, "outbox", () => this.oracle.indexing(row));
    if (fate === "unacknowledged") throw new Error("D1_ERROR: no acknowledgement");
    await new Promise<void>((resolve) => this.#world.time.after(1, () => life.dead || resolve()));
  }

  /** What is sent to other runs; the host may die before and after. */
  #peersOf(life: Life, network: Network): ReturnType<Network["sinkOf"]> {
    const sink = network.sinkOf(life);
    const cross = async <T>(send: () => Promise<T>): Promise<T> => {
      const result = await this.object.cross(life, "outbox", () => {
        const sending = send();
        sending.catch(() => undefined); // a host that dies right after sending does not hear how it went
        return sending;
      });
      return life.dead ? new Promise<never>(() => {}) : result;
    };
    return {
      dispatch: (children) => cross(() => sink.dispatch(children)),
      report: (parent, report) => cross(() => sink.report(parent, report)),
      cancel: (pointers, reason) => {
        this.#onCancel(pointers.children);
        return cross(() => sink.cancel(pointers, reason));
      },
    };
  }

  #faulted(life: Life): void {
    const { drive } = this.ledger;
    const { ringing, rings, alarmAtMs, alarmLost, alarmFailed } = this.object;
    const { record } = this;
    const inDrive = ringing && drive?.life === life && drive.ring === rings && record?.driving;
    const isIdle = !ringing && record !== undefined && isDrivable(record);
    const isExcused = alarmAtMs !== null || alarmLost || (isIdle && alarmFailed);
    if (life.dead && (inDrive || isIdle) && !isExcused)
      this.oracle.violation("RD2: the host died with something to do, and no alarm was set");
    this.ledger.fault(life);
    this.oracle.fault();
  }
}

/** What a simulated run is started with. */
export type RunInputs = { readonly program: ProgramNode; readonly input: string };
