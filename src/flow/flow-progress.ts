// Progress of one execution of a flow: the order of its methods.
//
//   FC1. A trigger is the name of an ended method, or the label returned by a router. Its routers run first, one after
//        another; then the plain listeners, at once; then, for a label, the starts that wait for it.
//   FC2. Labels trigger in the order in which routers return them, including those of all sibling routers. A router's
//        name is a trigger too, before its label. An empty result is no label.
//   FC3. Triggers seen for an `and` are remembered for its method alone, and forgotten when it fires.
//   FC4. A listener with an `or` fires once. It is armed again when a method runs a second time, or by a router's
//        label, if it had fired before the label's wave began, at most once per wave. A trigger is recorded for all its
//        routers, and for all its listeners, before the first of them runs. A label runs a method once, also one that
//        both listens to it and starts with it.
//   FC5. A method is called at most `maxMethodCalls` times, including starts by labels; the next call fails with
//        `limit_exceeded`.
//   FC6. The first failure is the failure of the flow: no new method begins after it.
//   FC7. The effects of a method's end begin at once, in the same turn of the event loop, however deep in a loop the
//        method was called: the journal returns results one by one, and each must have had its effect when the next one
//        comes. An end without effects is reported as such.
//   FC8. In a race the first method to succeed continues like any listener; the others run to their end, without
//        effects. A failed one leaves the race to the others; if all fail, the failure of the first of them is the
//        flow's.
//   FC9. By CrewAI's rules (`compat`) only the label of the last router that listens to a trigger reaches further
//        routers; a plain `or` makes a race; the label of a router that is a start wakes no starts; a label also arms
//        listeners that fired while its routers ran; and after a person's feedback, the routers and listeners of a
//        label receive the latest feedback at the time when all effects of the router were over.
import { EngineError } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import { holds } from "./condition.ts";
import type { FlowGraph, Subscriber } from "./flow-graph.ts";
import { Wave, type Handed, type Label, type Trigger } from "./flow-wave.ts";

/** The result of a method. */
export type MethodResult = {
  /** The listeners receive this value. */
  readonly value: JsonValue;
  /** Label returned by the method as a router, with the value for the label's listeners. */
  readonly label?: Label;
  /** `id` of the result's event. */
  readonly eventId?: string;
};

/**
 * Runs a method's body. `value` is the value of its trigger; undefined for a start. `eventId` is the event of the
 * trigger; undefined if the start of the flow called it.
 */
export type RunMethod = (
  name: string,
  value: JsonValue | undefined,
  eventId: string | undefined,
) => Promise<MethodResult>;

/** Callbacks of an execution beside its methods. */
export type ProgressOptions = {
  /** Called when a method has ended without effects. */
  readonly onNothing?: () => void;
  /** Latest feedback of a person; undefined before the first. */
  readonly lastFeedback?: () => JsonValue | undefined;
};

/** Methods of which only the first to end well counts. */
type Race = { isWon: boolean };
/** Continuation. Exactly one of the two is called, once. Not a promise: see FC7. */
type Next<Value = void> = {
  readonly done: (value: Value) => void;
  readonly fail: (error: unknown) => void;
};

const NOBODY = { routers: [], listeners: [], starts: [] } as const;

export class FlowProgress {
  readonly #graph: FlowGraph;
  readonly #run: RunMethod;
  readonly #onNothing: () => void;
  readonly #lastFeedback: () => JsonValue | undefined;
  readonly #seen = new Map<string, Set<string>>();
  readonly #fired = new Set<string>();
  readonly #completed = new Set<string>();
  readonly #calls = new Map<string, number>();
  readonly #due: Array<() => void> = [];
  #isGoingOn = false;
  /** Number of begun methods, plus one for the end of the flow. */
  #effects = 0;
  #failed = false;
  #broken: (error: unknown) => void = () => {};

  constructor(graph: FlowGraph, run: RunMethod, options: ProgressOptions = {}) {
    const { onNothing = () => {}, lastFeedback = () => undefined } = options;
    this.#graph = graph;
    this.#run = run;
    this.#onNothing = onNothing;
    this.#lastFeedback = lastFeedback;
  }

  /** Runs the flow to its end. Rejects with the first failure. */
  run(): Promise<void> {
    const { entries, entriesInTurn } = this.#graph;
    return new Promise((resolve, reject) => {
      const done = (): void => {
        this.#effects++;
        resolve();
      };
      const fail = (error: unknown): void => {
        this.#effects++;
        reject(error);
      };
      this.#broken = fail;
      this.#goOn(() => {
        if (entriesInTurn)
          this.#each(entries, (name, go) => this.#runStart(name, {}, { done: go, fail }), done);
        else {
          const next = joined(entries.length, { done, fail });
          for (const name of entries) this.#runStart(name, {}, next);
        }
      });
    });
  }

  #runStart(name: string, handed: Partial<Handed>, next: Next): void {
    const { fail } = next;
    this.#perform(name, handed, {
      fail,
      done: (result) => {
        if (result === undefined) return next.done();
        const end = endOf(name, result);
        if (labelOf(result) === undefined) return this.#dispatch(end, next);
        const done = (): void => {
          const label = this.#label(result);
          return label === undefined ? next.done() : this.#dispatch(label, next);
        };
        return this.#dispatch(end, { done, fail });
      },
    });
  }

  /** Passes the result on after all its effects are over. */
  #runListener(name: string, handed: Handed, next: Next<MethodResult | undefined>): void {
    if (!this.#isWithinLimit(name, next)) return;
    this.#perform(name, handed, {
      fail: next.fail,
      done: (result) => {
        if (result === undefined) return next.done(undefined);
        const done = (): void => next.done(result);
        return this.#dispatch(endOf(name, result), { done, fail: next.fail });
      },
    });
  }

  /** Counts a call of the method, and fails above the limit. */
  #isWithinLimit(name: string, { fail }: Pick<Next, "fail">): boolean {
    const calls = (this.#calls.get(name) ?? 0) + 1;
    this.#calls.set(name, calls);
    const { maxMethodCalls } = this.#graph;
    if (calls <= maxMethodCalls) return true;
    this.#failed = true;
    const message = `method ${name} was woken more than ${maxMethodCalls} times in one execution: look for an endless loop, such as a router that waits for its own label, or raise maxMethodCalls`;
    fail(new EngineError("limit_exceeded", message));
    return false;
  }

  /** Passes undefined on if the result does not count: after a failure elsewhere, or in a lost race. */
  #perform(
    name: string,
    handed: Partial<Handed>,
    next: Next<MethodResult | undefined> & { readonly race?: Race },
  ): void {
    if (this.#failed) return next.done(undefined);
    if (this.#completed.delete(name)) this.#fired.clear();
    this.#effects++;
    const { race } = next;
    this.#run(name, handed.value, handed.eventId).then(
      (result) => {
        const counts = race?.isWon !== true;
        if (counts) this.#completed.add(name);
        if (race !== undefined) race.isWon = true;
        this.#ended(() => next.done(counts ? result : undefined));
      },
      (error: unknown) => {
        this.#failed ||= race === undefined; // in a race the others may still do well
        this.#ended(() => next.fail(error));
      },
    );
  }

  #dispatch(first: Trigger, { done, fail }: Next): void {
    const wave = new Wave(first, this.#fired);
    const runRouters = (): void => {
      const current = wave.routed.shift();
      if (current === undefined) return runListeners(0);
      const routers = this.#subscribers(current.name).routers.filter((each) =>
        this.#wakes(each, current.name),
      );
      wave.runs(current.name, routers);
      const labels: Array<Trigger | undefined> = [];
      const wake = (router: Subscriber, go: () => void): void => {
        const before = this.#graph.compat && labels.length > 0 ? labels.at(-1) : current;
        const handed =
          before?.isFeedback === true ? before : { value: first.value, eventId: current.eventId };
        const collect = (result: MethodResult | undefined): void => {
          labels.push(this.#label(result));
          go();
        };
        return this.#runListener(router.name, handed, { done: collect, fail });
      };
      return this.#each(routers, wake, () => {
        const returned = labels.filter((label) => label !== undefined);
        wave.triggers.push(...returned);
        const last = labels.at(-1);
        wave.routed.push(...(this.#graph.compat ? (last === undefined ? [] : [last]) : returned));
        runRouters();
      });
    };
    const runListeners = (index: number): void => {
      if (index === 0 && this.#graph.compat) wave.armFrom(this.#fired);
      const current = wave.triggers[index];
      if (current === undefined) return this.#goOn(done);
      if (index > 0) this.#rearm(current.name, wave);
      const { listeners, starts } = this.#subscribers(current.name);
      const woken = listeners.filter((each) => this.#wakes(each, current.name));
      wave.runs(current.name, woken);
      const wakesStarts = this.#graph.compat ? wave.isReturned(current.name) : current.isLabel;
      const start = ({ name, ...rest }: Subscriber, go: () => void): void => {
        if (!this.#wakes({ ...rest, name: `start:${name}` }, current.name)) return go();
        if (wave.hasRun(current.name, name)) return go();
        if (!this.#isWithinLimit(name, { fail })) return;
        const handed = { eventId: current.eventId };
        return this.#runStart(name, handed, { done: go, fail });
      };
      const runStarts = (): void =>
        this.#each(wakesStarts ? starts : [], start, () => runListeners(index + 1));
      const handed = this.#graph.compat ? wave.lastOf(current) : current;
      return this.#runTogether(woken, handed, { done: runStarts, fail });
    };
    runRouters();
  }

  /** Returns the trigger of a router's result, after all effects of the router. */
  #label(result: MethodResult | undefined): Trigger | undefined {
    const label = labelOf(result);
    const said = this.#graph.compat ? this.#lastFeedback() : undefined;
    return label === undefined || said === undefined
      ? label
      : { ...label, value: said, isFeedback: true };
  }

  #runTogether(woken: readonly Subscriber[], handed: Handed, next: Next): void {
    if (woken.length === 0) return next.done();
    const race =
      woken.length === 1
        ? undefined
        : this.#graph.races.find((group) => woken.filter(({ name }) => group.has(name)).length > 1);
    const racing = race === undefined ? [] : woken.filter(({ name }) => race.has(name));
    const beside = race === undefined ? woken : woken.filter(({ name }) => !race.has(name));
    const all = joined(beside.length + (racing.length > 0 ? 1 : 0), next);
    for (const { name } of beside)
      this.#runListener(name, handed, { done: () => all.done(), fail: all.fail });
    if (racing.length > 0) this.#runRace(racing, handed, all);
  }

  /** FC8 */
  #runRace(racing: readonly Subscriber[], handed: Handed, { done, fail: lose }: Next): void {
    const race: Race = { isWon: false };
    const errors = new Map<number, unknown>();
    for (const [index, { name }] of racing.entries()) {
      if (!this.#isWithinLimit(name, { fail: lose })) return;
      const fail = (error: unknown): void => {
        errors.set(index, error);
        if (errors.size < racing.length) return;
        this.#failed = true;
        lose(errors.get(0));
      };
      const won = (result: MethodResult | undefined): void => {
        if (result !== undefined) this.#dispatch(endOf(name, result), { done, fail: lose });
      };
      this.#perform(name, handed, { done: won, fail, race });
    }
  }

  /** One item after another. */
  #each<Item>(
    items: readonly Item[],
    work: (item: Item, go: () => void) => void,
    done: () => void,
  ): void {
    const at = (index: number): void => {
      if (index >= items.length) return done();
      const item = items[index] as Item;
      return work(item, () => this.#goOn(() => at(index + 1)));
    };
    at(0);
  }

  /** Runs the effects of a method's end. */
  #ended(work: () => void): void {
    const before = this.#effects;
    this.#goOn(work);
    if (this.#effects === before) this.#onNothing();
  }

  /** Continues in this turn of the event loop, but not within the current call: loops may be deep. */
  #goOn(work: () => void): void {
    this.#due.push(work);
    if (this.#isGoingOn) return;
    this.#isGoingOn = true;
    try {
      for (let next = this.#due.shift(); next !== undefined; next = this.#due.shift()) next();
    } catch (error) {
      this.#failed = true;
      this.#broken(error);
    } finally {
      this.#isGoingOn = false;
    }
  }

  /** Records a trigger for a subscriber; true if its condition is now met. */
  #wakes({ name, condition, atLeast, once }: Subscriber, trigger: string): boolean {
    if (once && this.#fired.has(name)) return false;
    if (condition !== trigger) {
      let seen = this.#seen.get(name);
      if (seen === undefined) this.#seen.set(name, (seen = new Set()));
      seen.add(trigger);
      if (seen.size < atLeast || !holds(condition, seen)) return false;
      this.#seen.delete(name);
    }
    if (once) this.#fired.add(name);
    return true;
  }

  #rearm(label: string, wave: Wave): void {
    for (const { name, once } of this.#subscribers(label).listeners)
      if (once && this.#fired.has(name) && wave.arms(name)) this.#fired.delete(name);
  }

  #subscribers(trigger: string): { readonly [Kind in keyof typeof NOBODY]: readonly Subscriber[] } {
    return this.#graph.subscribersOf.get(trigger) ?? NOBODY;
  }
}

/** `next` once `count` others are done, or the first has failed. */
function joined(count: number, { done, fail }: Next): Next {
  let left = count;
  let isOver = false;
  return {
    done: () => {
      if (--left === 0 && !isOver) done();
    },
    fail: (error) => {
      if (isOver) return;
      isOver = true;
      fail(error);
    },
  };
}

/** Returns the trigger for a router's result; undefined for an empty or absent one. */
function labelOf(result: MethodResult | undefined): Trigger | undefined {
  const label = result?.label;
  if (label === undefined || label.name === "") return undefined;
  return { ...label, eventId: result?.eventId, isLabel: true };
}

/** Returns the trigger for the end of a method. */
function endOf(name: string, { value, eventId }: MethodResult): Trigger {
  return { name, value, eventId, isLabel: false };
}
