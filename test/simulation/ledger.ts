// Ledger: what a run's steps did to the outside, kept outside, and checked against what the run has on record.
import { EngineError } from "../../src/base/error.ts";
import type { JsonValue } from "../../src/base/json.ts";
import { PlatformFault } from "../../src/base/platform-fault.ts";
import { DEFAULT_RETRY } from "../../src/base/retry.ts";
import { isTerminal } from "../../src/runtime/run.ts";
import { failuresOf, stepValue, type ActionContext, type StepNode } from "./action.ts";
import { TIME_LIMIT_MS, type ChildAsked, type Outside, type ToolNode } from "./program.ts";
import { askedBy } from "./deploys.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import { keptState } from "./flow-state.ts";
import type { FlowStore } from "../../src/flow/flow-store.ts";
import type { Life, RunObject } from "./run-object.ts";
import type { World } from "./world.ts";

/** One pass of the program over its record. */
export type Drive = {
  readonly life: Life;
  /** Which ring of the alarm it serves. */
  readonly ring: number;
  faulted: boolean;
};

type Execution = {
  readonly drive: Drive;
  readonly input: string;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  state: "underWay" | "retry" | "ended";
};

const MAX_POISONED = 5;

export class Ledger {
  readonly #executions = new Map<string, Execution[]>();
  readonly #toolKeys = new Map<string, string>();
  readonly #toolFailures = new Map<string, number>();
  /** How many executions of a tool made of steps have failed, for whatever reason. */
  readonly #toolAttempts = new Map<string, number>();
  /** The drive in which a tool made of steps was last half through. */
  readonly #toolDrives = new Map<string, Drive | undefined>();
  /** How often a step was under way, by its row, at the end of a drive that died or whose storage failed. */
  readonly #cutOff = new Map<string, number>();
  readonly #children = new Map<string, string>();
  /** The states of flows, by the steps that saved them. */
  readonly #saved = new Map<string, string>();
  readonly #world: World;
  readonly #object: RunObject;
  readonly #bug: PlantedBug | undefined;
  readonly #onChild: (asked: ChildAsked) => void;
  readonly #violation: (what: string) => void;
  drive: Drive | undefined;
  drives = 0;

  constructor(options: {
    readonly world: World;
    readonly object: RunObject;
    readonly bug: PlantedBug | undefined;
    readonly onChild: (asked: ChildAsked) => void;
    readonly violation: (what: string) => void;
  }) {
    this.#world = options.world;
    this.#object = options.object;
    this.#bug = options.bug;
    this.#onChild = options.onChild;
    this.#violation = options.violation;
  }

  beginDrive(life: Life): void {
    if (this.drive?.faulted === true) {
      for (const row of this.#object.stored.journal.list(0, Number.MAX_SAFE_INTEGER)) {
        if (row.state === "started") this.#cutOff.set(row.key, this.cutOffs(row.key) + 1);
      }
    }
    this.drive = { life, ring: this.#object.rings, faulted: false };
    this.drives++;
  }

  fault(life: Life): void {
    if (this.drive?.life === life) this.drive.faulted = true;
  }

  cutOffs(key: string): number {
    return this.#cutOff.get(key) ?? 0;
  }

  /** How often a tool made of steps has failed half through. */
  toolFailures(key: string): number {
    return this.#toolFailures.get(key) ?? 0;
  }

  /** How many executions of a tool made of steps have failed while their host lived on. */
  toolAttempts(key: string): number {
    return this.#toolAttempts.get(key) ?? 0;
  }

  /** The most often that any step was cut off. */
  get mostCutOffs(): number {
    return Math.max(0, ...this.#cutOff.values());
  }

  /** DC4: after a cancel every call under way has been told to stop. */
  checkAborted(): void {
    for (const [key, executions] of this.#executions) {
      for (const { state, drive, signal } of executions) {
        if (state === "underWay" && drive === this.drive && !drive.life.dead && !signal.aborted)
          this.#violation(`DC4: ${key} was not aborted by the cancel`);
      }
    }
  }

  outsideOf(life: Life): Outside {
    return {
      asks: (input) => askedBy(life.version.code.prompts, input),
      act: (node, context, input) => this.#act(life, { node, context, input }),
      call: (node, key, input) => this.#call(life, { node, key, input }),
      pick: (count) => Math.floor(this.#world.random() * count),
      trying: (context, execution) => this.#trying(life, context, execution),
      through: (node, context) => this.#through(life, node, context),
      childAsked: (asked) => this.#childAsked(asked),
      methodRuns: (key) => this.#methodRuns(key),
      hooksRun: (key) => this.#hooksRun(life, key),
      flowStates: this.#flowStatesOf(life),
      graph: this.drives > 1 ? this.#bug?.graph : undefined,
    };
  }

  async #act(
    life: Life,
    work: { node: StepNode; context: ActionContext; input: string },
  ): Promise<JsonValue | undefined> {
    if (life.dead) return undefined;
    const execution = this.#begin(work);
    try {
      return await this.#carryOut(life, { ...work, execution });
    } finally {
      if (execution.state === "underWay") execution.state = "ended";
    }
  }

  #call(
    life: Life,
    { node, key, input }: { node: StepNode; key: string; input: string },
  ): JsonValue | undefined {
    if (life.dead) return undefined;
    const context = { key, idempotencyKey: key, signal: AbortSignal.abort() };
    const execution = this.#begin({ node, context, input });
    this.#object.cross(life, "action", () => undefined);
    execution.state = "ended";
    return stepValue(node, key, input);
  }

  async #carryOut(
    life: Life,
    work: { node: StepNode; context: ActionContext; input: string; execution: Execution },
  ): Promise<JsonValue | undefined> {
    const { node, context, input, execution } = work;
    const { key, signal } = context;
    this.#object.cross(life, "action", () => undefined);
    await this.#pass(
      life,
      node.ending === "slow" ? TIME_LIMIT_MS * 2 : node.ms,
      this.#world.random() < 0.5 ? signal : undefined,
    );
    if (node.ending === "poison" || node.ending === "poisonOnce") this.#object.crash(life);
    this.#object.cross(life, "action", () => undefined);
    const failed = (this.#executions.get(key) ?? []).filter(
      (each) => each.state === "retry",
    ).length;
    if (failed < failuresOf(node)) {
      execution.state = "retry";
      if (node.ending === "away")
        throw new EngineError("model_unavailable", `away: ${key}`, { retryable: true });
      throw new EngineError("unavailable", `not now: ${key}`, { retryable: true });
    }
    execution.state = "ended";
    if (node.ending === "error") throw new EngineError("tool_failed", `failed: ${key}`);
    if (node.ending === "plain") throw new Error(`broken: ${key}`);
    return stepValue(node, key, input);
  }

  #begin({
    node,
    context,
    input,
  }: {
    node: StepNode;
    context: ActionContext;
    input: string;
  }): Execution {
    const { key, idempotencyKey, signal } = context;
    const drive = this.drive;
    if (drive === undefined) throw new Error("an action outside of any drive");
    const status = this.#object.record?.status;
    if (status === undefined || isTerminal(status))
      this.#violation(`I9: ${key} began when the run was ${status ?? "not on record"}`);
    const row = this.#object.stored.journal.get(key);
    if (row?.state !== "started")
      this.#violation(`I4: ${key} is executed with its row ${row?.state ?? "missing"}`);
    const before = this.#executions.get(key) ?? [];
    const last = before.at(-1);
    if (last !== undefined) {
      if (last.idempotencyKey !== idempotencyKey)
        this.#violation(`I3: ${key} came with ${last.idempotencyKey}, then with ${idempotencyKey}`);
      const { prompts } = drive.life.version.code;
      if (last.input !== input && last.drive.life.version.code.prompts === prompts)
        this.#violation(`I3: ${key} was asked ${last.input}, then ${input}`);
      const timedOut = node.ending === "slow" && last.signal.aborted;
      const cut = last.drive !== drive && last.drive.faulted;
      if (last.state !== "retry" && !timedOut && !cut)
        this.#violation(`I2: ${key} is executed again (${last.state}) without a crash`);
      if (node.ending === "once" || node.ending === "poisonOnce")
        this.#violation(`I2: ${key} may run only once and is executed again`);
    }
    const retries = triesOf(node);
    if (before.length >= retries + this.cutOffs(key))
      this.#violation(
        `I2: ${key} is executed ${before.length + 1} times and was cut off ${this.cutOffs(key)} times`,
      );
    if (node.ending === "poison" && before.length >= MAX_POISONED + this.#world.deploys)
      this.#violation(`I12: the poison ${key} is executed ${before.length + 1} times`);
    const execution: Execution = { drive, input, idempotencyKey, signal, state: "underWay" };
    this.#executions.set(key, [...before, execution]);
    return execution;
  }

  #trying<T>(life: Life, { key }: ActionContext, execution: () => Promise<T>): Promise<T> {
    const { drive } = this;
    const work = execution();
    work.catch((error: unknown) => {
      if (life.dead || drive !== this.drive || PlatformFault.is(error)) return;
      this.#toolAttempts.set(key, this.toolAttempts(key) + 1);
    });
    return work;
  }

  #through(life: Life, node: ToolNode, { key, idempotencyKey }: ActionContext): void {
    const known = this.#toolKeys.get(key) ?? idempotencyKey;
    if (known !== idempotencyKey)
      this.#violation(`I3: ${key} came with ${known}, then with ${idempotencyKey}`);
    this.#toolKeys.set(key, known);
    this.#object.cross(life, "action", () => undefined);
    const failures = this.#toolFailures.get(key) ?? 0;
    const before = this.#toolDrives.get(key);
    this.#toolDrives.set(key, this.drive);
    // What has worked once may fail when it is done again.
    const relapses =
      before !== undefined &&
      before !== this.drive &&
      this.#world.faulty &&
      this.#world.random() < 0.3;
    if (failures >= node.fails && !relapses) return;
    this.#toolFailures.set(key, failures + 1);
    throw new EngineError("unavailable", `not yet: ${key}`, { retryable: true });
  }

  /** I4: a method whose end is on record is not executed again. */
  #methodRuns(key: string): void {
    const state = this.#object.stored.journal.get(key)?.state;
    if (state !== "started")
      this.#violation(`I4: the method ${key} is executed with its row ${state ?? "missing"}`);
  }

  /** HK1: hooks whose result is on record are not called again. */
  #hooksRun(life: Life, key: string): void {
    const state = this.#object.stored.journal.get(key)?.state;
    if (!life.dead && state !== "started")
      this.#violation(`HK1: the hooks ${key} are called with their row ${state ?? "missing"}`);
  }

  /** A state that is saved again is the same, and none is whose save is on record. */
  #flowStatesOf(life: Life): FlowStore {
    const nothing = async (): Promise<never> => {
      throw new Error("no flow of a simulation reads states");
    };
    return {
      saveState: async ({ key, state }) => {
        if (life.dead) return;
        this.#object.cross(life, "action", () => undefined);
        const text = JSON.stringify(state);
        const row = this.#object.stored.journal.get(key);
        if (row?.state !== "started")
          this.#violation(`I4: ${key} is saved with its row ${row?.state ?? "missing"}`);
        const before = this.#saved.get(key) ?? text;
        if (before !== text) this.#violation(`I3: ${key} saved ${before}, then ${text}`);
        this.#saved.set(key, text);
        this.#object.cross(life, "action", () => undefined);
      },
      loadState: async (flow, flowId) => {
        this.#object.cross(life, "action", () => undefined);
        const state = { ...keptState(Math.floor(this.#world.random() * 1000)), id: flowId };
        return { flow, flowId, method: "m0", state, runId: "another", key: "", createdAtMs: 0 };
      },
      history: nothing,
      forget: nothing,
    };
  }

  /** F1: a place is answered by the same child in every drive, and no two by one. */
  #childAsked(asked: ChildAsked): void {
    const { key, runId } = asked;
    const known = this.#children.get(key);
    if (known !== undefined && known !== runId)
      this.#violation(`F1: the child for ${key} was ${known} and is ${runId} now`);
    this.#children.set(key, runId);
    this.#onChild(asked);
  }

  /** Time that an action takes. With a signal it gives up when it is told to, without it goes on regardless. */
  #pass(life: Life, delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#world.time.after(delayMs, () => life.dead || resolve());
      signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  }
}

/** How often a step is executed, at most, where nothing cuts it off. */
function triesOf(node: StepNode): number {
  if (node.ending === "away") return failuresOf(node) + 1;
  const isRetried = node.ending === "slow" || failuresOf(node) > 0;
  return isRetried ? DEFAULT_RETRY.maxAttempts : 1;
}
