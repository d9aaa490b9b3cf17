// The course of one execution of a flow: which method runs when.
//
//   FC1. A trigger is the name of a method that has ended, or the label that a router gave. Routers that hear it run first,
//        one after another; then the plain listeners, at once; then, for a label, the starts that wait for it.
//   FC2. Labels are worked off in the order in which they are given, those of all sibling routers included. A router's
//        name is a trigger too, before its label is. An empty result gives no label.
//   FC3. What a method waits for with `and` is remembered for that method alone, and forgotten when it fires.
//   FC4. A listener that waits for any of several fires once. It is armed again when a method runs a second time, or by a
//        router's label, if it had fired before the label's wave began, at most once per wave.
//   FC5. A method is woken at most `maxMethodCalls` times; the call above that fails with `limit_exceeded`.
//   FC6. The first failure is the failure of the flow: nothing new begins after it.
import { EngineError } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import { holds } from "./condition.ts";
import type { FlowPlan, Subscriber } from "./flow-plan.ts";

/** What a method gave. */
export type MethodResult = {
  /** What its listeners are handed. */
  readonly value: JsonValue;
  /** The label that it gives as a router, and what the listeners that hear it are handed. */
  readonly label?: Label;
  /** `id` of the event that tells of it. */
  readonly eventId?: string;
};

export type Label = {
  readonly name: string;
  readonly value: JsonValue;
  /** Given by a person's feedback: routers that hear it are handed it too, and not what began the wave. */
  readonly isFeedback?: boolean;
};

/** Runs a method's body. `value` is what woke it, and `eventId` the event that told of that; undefined for a start. */
export type RunMethod = (
  name: string,
  value: JsonValue | undefined,
  eventId: string | undefined,
) => Promise<MethodResult>;

/** What a method is handed that is woken. */
type Handed = { readonly value: JsonValue; readonly eventId?: string | undefined };
/** The name of a method that has ended, or a label. */
type Trigger = Label & Handed & { readonly isLabel: boolean };

/** Where a trigger's wave of work stands with the listeners that fire once. */
type Wave = { readonly firedBefore: ReadonlySet<string>; readonly rearmed: Set<string> };
/** One of several competing courses; dropped when it has lost. */
type Branch = { dropped: boolean; readonly within?: Branch };

const NOBODY = { routers: [], listeners: [], starts: [] } as const;

export class FlowCourse {
  readonly #plan: FlowPlan;
  readonly #run: RunMethod;
  readonly #seen = new Map<string, Set<string>>();
  readonly #fired = new Set<string>();
  readonly #completed = new Set<string>();
  readonly #calls = new Map<string, number>();
  #failed = false;

  constructor(plan: FlowPlan, run: RunMethod) {
    this.#plan = plan;
    this.#run = run;
  }

  /** Runs the flow to its end. Rejects with the first failure. */
  async run(): Promise<void> {
    const { entries, entriesInTurn } = this.#plan;
    if (entriesInTurn) for (const name of entries) await this.#runStart(name, { dropped: false });
    else await Promise.all(entries.map((name) => this.#runStart(name, { dropped: false })));
  }

  /** `eventId` is of what gave the label that a start waited for. */
  async #runStart(name: string, branch: Branch, eventId?: string): Promise<void> {
    const result = await this.#perform(name, branch, { eventId });
    if (result === undefined) return;
    await this.#dispatch(endOf(name, result), branch);
    const { label } = result;
    if (label !== undefined && label.name !== "")
      await this.#dispatch({ ...label, eventId: result.eventId, isLabel: true }, branch);
  }

  async #runListener(
    name: string,
    handed: Handed,
    branch: Branch,
  ): Promise<MethodResult | undefined> {
    const calls = (this.#calls.get(name) ?? 0) + 1;
    this.#calls.set(name, calls);
    if (calls > this.#plan.maxMethodCalls) {
      this.#failed = true;
      throw new EngineError(
        "limit_exceeded",
        `method ${name} was woken more than ${this.#plan.maxMethodCalls} times in one execution: look for a loop that nothing ends, such as a router whose label is what it waits for, or raise maxMethodCalls`,
      );
    }
    const result = await this.#perform(name, branch, handed);
    if (result !== undefined) await this.#dispatch(endOf(name, result), branch);
    return result;
  }

  /** Undefined when the result does not count: after a failure elsewhere, or in a branch that lost a race. */
  async #perform(
    name: string,
    branch: Branch,
    { value, eventId }: Partial<Handed>,
  ): Promise<MethodResult | undefined> {
    if (this.#failed || isDropped(branch)) return undefined;
    if (this.#completed.delete(name)) this.#fired.clear();
    try {
      const result = await this.#run(name, value, eventId);
      if (isDropped(branch)) return undefined;
      this.#completed.add(name);
      return result;
    } catch (error) {
      this.#failed ||= branch.within === undefined; // in a race the others may still do well
      throw error;
    }
  }

  async #dispatch(first: Trigger, branch: Branch): Promise<void> {
    const triggers = [first];
    const heard = [first];
    let wave: Wave | undefined;
    for (const current of heard) {
      const labels: Array<Trigger | undefined> = [];
      const { routers } = this.#audience(current.name);
      if (routers.length > 0) wave ??= { firedBefore: new Set(this.#fired), rearmed: new Set() };
      for (const router of routers) {
        if (!this.#wakes(router, current.name)) continue;
        const result = await this.#runListener(
          router.name,
          current.isFeedback === true ? current : { value: first.value, eventId: current.eventId },
          branch,
        );
        const label = result?.label;
        labels.push(
          label === undefined || label.name === ""
            ? undefined
            : { ...label, eventId: result?.eventId, isLabel: true },
        );
      }
      const given = labels.filter((label) => label !== undefined);
      triggers.push(...given);
      const last = labels.at(-1);
      heard.push(...(this.#plan.compat ? (last === undefined ? [] : [last]) : given));
    }
    for (const current of triggers) {
      if (current !== first && wave !== undefined) this.#rearm(current.name, wave);
      const { listeners, starts } = this.#audience(current.name);
      const woken = listeners.filter((each) => this.#wakes(each, current.name));
      const [only] = woken;
      if (woken.length > 1) await this.#runTogether(woken, current, branch);
      else if (only !== undefined) await this.#runListener(only.name, current, branch);
      if (!current.isLabel) continue;
      for (const start of starts) {
        if (this.#wakes({ ...start, name: `start:${start.name}` }, current.name))
          await this.#runStart(start.name, branch, current.eventId);
      }
    }
  }

  async #runTogether(woken: readonly Subscriber[], handed: Handed, branch: Branch): Promise<void> {
    const race = this.#plan.races.find(
      (group) => woken.filter(({ name }) => group.has(name)).length > 1,
    );
    const racing = race === undefined ? [] : woken.filter(({ name }) => race.has(name));
    const beside = race === undefined ? woken : woken.filter(({ name }) => !race.has(name));
    await Promise.all([
      ...beside.map(({ name }) => this.#runListener(name, handed, branch)),
      ...(racing.length > 0 ? [this.#runRace(racing, handed, branch)] : []),
    ]);
  }

  /** The first branch to end well counts; the others go on to the end of what they do, and lead to nothing. */
  async #runRace(racing: readonly Subscriber[], handed: Handed, branch: Branch): Promise<void> {
    const branches = racing.map(({ name }) => ({ name, dropped: false, within: branch }));
    const runs = branches.map(async (own) => {
      await this.#runListener(own.name, handed, own);
      if (isDropped(own)) return;
      for (const each of branches) each.dropped = each !== own;
    });
    try {
      await Promise.any(runs);
    } catch (error) {
      this.#failed ||= branch.within === undefined;
      throw error instanceof AggregateError ? error.errors[0] : error;
    }
  }

  /** Takes note of a trigger for one who waits for it; true when that was all it waited for. */
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

  #rearm(label: string, { firedBefore, rearmed }: Wave): void {
    for (const { name, once } of this.#audience(label).listeners) {
      if (!once || !firedBefore.has(name) || rearmed.has(name)) continue;
      this.#fired.delete(name);
      rearmed.add(name);
    }
  }

  #audience(trigger: string): { readonly [Kind in keyof typeof NOBODY]: readonly Subscriber[] } {
    return this.#plan.audienceOf.get(trigger) ?? NOBODY;
  }
}

/** The trigger that the end of a method is. */
function endOf(name: string, { value, eventId }: MethodResult): Trigger {
  return { name, value, eventId, isLabel: false };
}

function isDropped(branch: Branch): boolean {
  return branch.dropped || (branch.within !== undefined && isDropped(branch.within));
}
