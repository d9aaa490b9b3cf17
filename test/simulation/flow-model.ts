// Flow model: which methods of a flow may begin once others have ended, told step by step and without a journal.
import {
  branchesOf,
  isRouter,
  MAX_CALLS,
  methodName,
  nameAt,
  startOf,
  type FlowNode,
  type MethodNode,
  type WakeNode,
} from "./flow.ts";
import type { JsonValue } from "../../src/base/json.ts";

/** One execution of a method that has begun and not ended. */
export type Running = {
  readonly name: string;
  readonly got: JsonValue;
  readonly race: Race | undefined;
};

/** Methods that compete: the first of them to end well goes on. */
type Race = {
  readonly names: readonly string[];
  readonly failed: Map<string, string>;
  won: boolean;
};

/** What the end of a method hands on, and what its label does. */
export type Result = {
  readonly value: JsonValue;
  readonly label: string | null;
  readonly labelled: JsonValue;
  /** Whether the label is a person's: routers are handed what they said, too. */
  readonly isReviewed: boolean;
};
type Trigger = {
  readonly name: string;
  readonly value: JsonValue;
  readonly isLabel: boolean;
  readonly isReviewed?: boolean;
};

/** What a process waits for: the end of a method, or that of all these processes. */
type Pause =
  | { readonly method: string; readonly got: JsonValue; readonly race?: Race | undefined }
  | { readonly all: readonly Process[] }
  | { readonly any: readonly Process[] }
  | "for ever";
type Process = Generator<Pause, Trigger | undefined, Result | undefined>;

/** The flow as it is after some of its methods have ended. */
export class FlowModel {
  readonly running = new Map<string, Running>();
  /** The method that was woken too often. */
  limited: string | undefined;
  /** Nothing begins after the first failure. */
  failed = false;
  /** The execution whose failure is the flow's. */
  failure: string | undefined;
  over = false;
  readonly #node: FlowNode;
  readonly #going = new Map<string, (result: Result | undefined) => void>();
  readonly #executions = new Map<string, number>();
  readonly #woken = new Map<string, number>();
  readonly #seen = new Map<string, Set<string>>();
  /** Listeners of any of several that have fired and are not armed. */
  readonly #spent = new Set<string>();
  readonly #ended = new Set<string>();
  /** What a person said last of what a method gave. */
  #lastSaid: JsonValue | undefined;
  readonly #races: ReadonlyArray<ReadonlySet<string>>;

  constructor(node: FlowNode) {
    this.#node = node;
    this.#races = this.#racesOf();
  }

  begin(): void {
    const entries = this.#methods((method) => startOf(this.#node, method) === null);
    this.#together(
      entries.map(({ name }) => this.#start(name, null)),
      () => (this.over = true),
    );
  }

  /** The method has ended so. */
  end(execution: string, result: Result): void {
    const running = this.running.get(execution);
    if (running === undefined) return;
    this.running.delete(execution);
    const { race, name } = running;
    if (result.isReviewed) this.#lastSaid = result.labelled;
    if (race?.won === true) return;
    if (race !== undefined) race.won = true;
    this.#ended.add(name);
    this.#going.get(execution)?.(result);
  }

  fail(execution: string): void {
    const { race, name } = this.running.get(execution) ?? {};
    this.running.delete(execution);
    if (race !== undefined && name !== undefined) {
      race.failed.set(name, execution);
      if (race.failed.size < race.names.length) return;
    }
    if (this.failed) return;
    this.failed = true;
    this.failure = race === undefined ? execution : race.failed.get(race.names[0] ?? "");
  }

  #methods(
    test: (method: MethodNode) => boolean,
  ): ReadonlyArray<{ readonly name: string; readonly index: number; readonly method: MethodNode }> {
    return this.#node.methods.flatMap((method, index) =>
      test(method) ? [{ name: methodName(index), index, method }] : [],
    );
  }

  *#start(name: string, got: JsonValue): Process {
    const result = yield { method: name, got };
    if (result === undefined) return undefined;
    yield* this.#wave({ name, value: result.value, isLabel: false });
    const label = this.#said(labelOf(result));
    if (label !== undefined) yield* this.#wave(label);
    return undefined;
  }

  /** By CrewAI's rules a label hands on what a person said last, once all that its router led to is over. */
  #said(label: Trigger | undefined): Trigger | undefined {
    if (label === undefined || this.#node.compat !== true || this.#lastSaid === undefined)
      return label;
    return { ...label, value: this.#lastSaid, isReviewed: true };
  }

  /** A method may be woken so many times. */
  *#counted(name: string): Process {
    const woken = (this.#woken.get(name) ?? 0) + 1;
    this.#woken.set(name, woken);
    if (woken <= MAX_CALLS || this.failed) return undefined;
    this.limited = name;
    this.failed = true;
    yield "for ever";
    return undefined;
  }

  *#listener(name: string, got: JsonValue, race?: Race): Process {
    yield* this.#counted(name);
    const result = yield { method: name, got, race };
    if (result === undefined) return undefined;
    yield* this.#wave({ name, value: result.value, isLabel: false });
    return labelOf(result);
  }

  /** What the end of a method, or a label, sets off: routers one by one, for their labels too; then listeners, and starts. */
  *#wave(first: Trigger): Process {
    const triggers = [first];
    const routed = [first];
    const { compat = false } = this.#node;
    let spentBefore: ReadonlySet<string> = new Set(this.#spent);
    const ran = new Map<string, Set<string>>();
    const note = (trigger: string, name: string): void =>
      void ran.set(trigger, (ran.get(trigger) ?? new Set()).add(name));
    for (const trigger of routed) {
      const labels: Array<Trigger | undefined> = [];
      const routers = this.#methods((method) => method.listens !== null && isRouter(method));
      const woken = routers.filter(
        ({ index, method }) =>
          this.#hears(method, index, trigger.name) && this.#wakes(index, trigger.name),
      );
      for (const { name } of woken) {
        note(trigger.name, name);
        const before = compat && labels.length > 0 ? labels.at(-1) : trigger;
        const got = before?.isReviewed === true ? before.value : first.value;
        labels.push(this.#said(yield* this.#listener(name, got)));
      }
      const given = labels.filter((label) => label !== undefined);
      triggers.push(...given);
      const last = labels.at(-1);
      if (!compat) routed.push(...given);
      else if (last !== undefined) routed.push(last);
    }
    if (compat) spentBefore = new Set(this.#spent);
    const armedAgain = new Set<string>();
    for (const [place, trigger] of triggers.entries()) {
      const listeners = this.#methods((method) => method.listens !== null && !isRouter(method));
      const hear = listeners.filter(({ index, method }) =>
        this.#hears(method, index, trigger.name),
      );
      for (const { name } of place > 0 ? hear : []) {
        if (!spentBefore.has(name) || armedAgain.has(name) || !this.#spent.has(name)) continue;
        this.#spent.delete(name);
        armedAgain.add(name);
      }
      const woken = hear.filter(({ index }) => this.#wakes(index, trigger.name));
      const names = woken.map(({ name }) => name);
      const group = this.#races.find((each) => names.filter((name) => each.has(name)).length > 1);
      const racing = names.filter((name) => group?.has(name) === true);
      const beside = names.filter((name) => group?.has(name) !== true);
      for (const name of names) note(trigger.name, name);
      const labelled = triggers.findLast(({ name }, at) => at > 0 && name === trigger.name);
      const { value } = (compat ? labelled : undefined) ?? trigger;
      const all = beside.map((name) => this.#listener(name, value));
      yield { all: racing.length === 0 ? all : [...all, this.#race(racing, value)] };
      const wakesStarts = compat ? labelled !== undefined : trigger.isLabel;
      const starts = this.#methods(
        (method) => wakesStarts && startOf(this.#node, method) === trigger.name,
      );
      for (const { name } of starts) {
        if (ran.get(trigger.name)?.has(name) === true) continue;
        yield* this.#counted(name);
        yield* this.#start(name, null);
      }
    }
    return undefined;
  }

  /** The methods that each racing listener alone waits for. */
  #racesOf(): ReadonlyArray<ReadonlySet<string>> {
    const listeners = this.#methods((method) => method.listens !== null && !isRouter(method));
    const mentions = listeners.flatMap(({ index, method: { listens } }) => [
      ...new Set(this.#leaves(listens, index)),
    ]);
    return listeners.flatMap(({ index, method: { listens } }) => {
      const races =
        listens !== null &&
        typeof listens === "object" &&
        ("race" in listens || ("any" in listens && this.#node.compat === true));
      const names = races ? this.#alternatives(listens, index) : [];
      const own = names.filter((name) => mentions.filter((each) => each === name).length === 1);
      return new Set(own).size > 1 ? [new Set(own)] : [];
    });
  }

  /** What is reached without having to wait for all of several. */
  #alternatives(wake: WakeNode, index: number): readonly string[] {
    if (typeof wake === "number") return [nameAt(this.#node, wake, index)];
    if ("all" in wake) return [];
    return branchesOf(wake).flatMap((each) => this.#alternatives(each, index));
  }

  *#race(names: readonly string[], got: JsonValue): Process {
    const race: Race = { names, failed: new Map(), won: false };
    yield { any: names.map((name) => this.#listener(name, got, race)) };
    return undefined;
  }

  #hears({ listens }: MethodNode, index: number, trigger: string): boolean {
    return this.#leaves(listens, index).includes(trigger);
  }

  #leaves(wake: WakeNode | null, index: number): readonly string[] {
    if (wake === null) return [];
    if (typeof wake === "number") return [nameAt(this.#node, wake, index)];
    return branchesOf(wake).flatMap((each) => this.#leaves(each, index));
  }

  /** Notes the trigger for a method; true when it has now all that it waits for. */
  #wakes(index: number, trigger: string): boolean {
    const name = methodName(index);
    const method = this.#node.methods[index] as MethodNode;
    const { listens } = method;
    if (listens === null) return false;
    const isOnce =
      !isRouter(method) &&
      typeof listens === "object" &&
      !("all" in listens) &&
      branchesOf(listens).length > 1;
    if (isOnce && this.#spent.has(name)) return false;
    const seen = (this.#seen.get(name) ?? new Set()).add(trigger);
    this.#seen.set(name, seen);
    if (!this.#isMet(listens, index, seen)) return false;
    this.#seen.delete(name);
    if (isOnce) this.#spent.add(name);
    return true;
  }

  #isMet(wake: WakeNode, index: number, seen: ReadonlySet<string>): boolean {
    if (typeof wake === "number") return seen.has(nameAt(this.#node, wake, index));
    if ("all" in wake) return wake.all.every((each) => this.#isMet(each, index, seen));
    return branchesOf(wake).some((each) => this.#isMet(each, index, seen));
  }

  /** Lets a process go on as far as it goes by itself. */
  #go(process: Process, over: (end: Trigger | undefined) => void, result?: Result): void {
    const { done = false, value } = process.next(result);
    if (done) return over(value as Trigger | undefined);
    const pause = value as Pause;
    if (pause === "for ever") return;
    if ("any" in pause) return this.#firstOf(pause.any, () => this.#go(process, over));
    if ("all" in pause) return this.#together(pause.all, () => this.#go(process, over));
    const { method, got, race } = pause;
    if (this.failed) return this.#go(process, over);
    if (this.#ended.delete(method)) this.#spent.clear();
    const nth = (this.#executions.get(method) ?? 0) + 1;
    this.#executions.set(method, nth);
    const execution = nth === 1 ? method : `${method}~${nth}`;
    this.running.set(execution, { name: method, got, race });
    this.#going.set(execution, (ended) => this.#go(process, over, ended));
  }

  /** Goes on with the end of one of them: the others come to none. */
  #firstOf(processes: readonly Process[], over: () => void): void {
    let isOver = false;
    for (const process of processes)
      this.#go(process, () => {
        if (!isOver) over();
        isOver = true;
      });
  }

  #together(processes: readonly Process[], over: () => void): void {
    let left = processes.length;
    if (left === 0) return over();
    for (const process of processes) this.#go(process, () => --left === 0 && over());
  }
}

function labelOf({ label, labelled, isReviewed }: Result): Trigger | undefined {
  return label === null ? undefined : { name: label, value: labelled, isLabel: true, isReviewed };
}
