// What wakes which method of a flow, once more and in the plainest way: every subscriber is asked about every trigger. Written from
// the rules alone, and knows nothing of the engine. Bodies end when the test says so.
import type { JsonValue } from "../../src/base/json.ts";
import type { Condition } from "../../src/flow/condition.ts";
import type { MethodDefinition } from "../../src/flow/flow-definition.ts";

/** An execution of a method that has begun and not ended. */
export type Begun = {
  readonly name: string;
  readonly value: JsonValue | undefined;
  readonly end: (result: JsonValue) => void;
  readonly fail: (error: Error) => void;
};

type Trigger = { readonly name: string; readonly value: JsonValue };

export class FlowReference {
  /** In the order of their beginnings. */
  readonly begun: Begun[] = [];
  readonly #methods: Readonly<Record<string, MethodDefinition>>;
  readonly #maxCalls: number;
  readonly #seen = new Map<string, Set<string>>();
  readonly #firedOrs = new Set<string>();
  readonly #completed = new Set<string>();
  readonly #calls = new Map<string, number>();
  #failed = false;

  constructor(methods: Readonly<Record<string, MethodDefinition>>, maxCalls: number) {
    this.#methods = methods;
    this.#maxCalls = maxCalls;
  }

  async run(): Promise<void> {
    const unconditional = this.#names(({ start }) => start === true);
    const conditional = this.#names(({ start }) => start !== undefined && start !== true);
    const entries = unconditional.length > 0 ? unconditional : conditional;
    await Promise.all(entries.map((name) => this.#start(name)));
  }

  async #start(name: string): Promise<void> {
    const result = await this.#body(name, undefined);
    if (result === undefined) return;
    await this.#wave({ name, value: result });
    const label = this.#labelOf(name, result);
    if (label !== undefined) await this.#wave(label, true);
  }

  #count(name: string): void {
    const calls = (this.#calls.get(name) ?? 0) + 1;
    this.#calls.set(name, calls);
    if (calls <= this.#maxCalls) return;
    this.#failed = true;
    throw new Error(`limit: ${name}`);
  }

  async #listener(name: string, value: JsonValue): Promise<JsonValue | undefined> {
    this.#count(name);
    const result = await this.#body(name, value);
    if (result !== undefined) await this.#wave({ name, value: result });
    return result;
  }

  /** A second execution forgets which listeners have fired. Nothing begins after a failure. */
  async #body(name: string, value: JsonValue | undefined): Promise<JsonValue | undefined> {
    if (this.#failed) return undefined;
    if (this.#completed.has(name)) {
      this.#completed.delete(name);
      this.#firedOrs.clear();
    }
    const result = await new Promise<JsonValue>((resolve, reject) =>
      this.#begin({ name, value, end: resolve, fail: reject }),
    ).catch((error: unknown) => {
      this.#failed = true;
      throw error;
    });
    this.#completed.add(name);
    return result;
  }

  #begin(execution: Begun): void {
    this.begun.push(execution);
  }

  async #wave(first: Trigger, isLabel = false): Promise<void> {
    const before = new Set(this.#firedOrs);
    const rearmed = new Set<string>();
    const labels: Trigger[] = [];
    const ran = new Set<string>();
    const note = (trigger: string, name: string): void => void ran.add(`${trigger} ${name}`);
    // Routers, one after another; what they give is asked about in turn.
    for (let current: Trigger | undefined = first, at = 0; current !== undefined;) {
      const { name: heard } = current;
      const routers = this.#names((method) => isRouter(method) && method.listen !== undefined);
      const woken = routers.filter((name) => this.#met(name, this.#methods[name]?.listen, heard));
      for (const name of woken) {
        note(heard, name);
        const result = await this.#listener(name, first.value);
        const label = result === undefined ? undefined : this.#labelOf(name, result);
        if (label !== undefined) labels.push(label);
      }
      current = labels[at++];
    }
    for (const [index, trigger] of [first, ...labels].entries()) {
      const listeners = this.#names((method) => !isRouter(method) && method.listen !== undefined);
      for (const name of index === 0 ? [] : listeners) {
        const mentions = mentioned(this.#methods[name]?.listen).has(trigger.name);
        if (!mentions || !before.has(name) || rearmed.has(name)) continue;
        if (!this.#firedOrs.delete(name)) continue;
        rearmed.add(name);
      }
      const woken = listeners.filter((name) => {
        const { listen } = this.#methods[name] ?? {};
        if (this.#firedOrs.has(name)) return false;
        if (!this.#met(name, listen, trigger.name)) return false;
        if (typeof listen === "object" && "or" in listen && listen.or.length > 1)
          this.#firedOrs.add(name);
        return true;
      });
      for (const name of woken) note(trigger.name, name);
      await Promise.all(woken.map((name) => this.#listener(name, trigger.value)));
      if (index === 0 && !isLabel) continue;
      for (const name of this.#names(({ start }) => start !== undefined && start !== true)) {
        const { start } = this.#methods[name] ?? {};
        if (!this.#met(`start:${name}`, start as Condition, trigger.name)) continue;
        if (ran.has(`${trigger.name} ${name}`)) continue;
        this.#count(name);
        await this.#start(name);
      }
    }
  }

  #met(key: string, condition: Condition | undefined, trigger: string): boolean {
    const seen = this.#seen.get(key) ?? new Set<string>();
    seen.add(trigger);
    const met = condition !== undefined && evaluate(condition, seen);
    if (met) this.#seen.delete(key);
    else this.#seen.set(key, seen);
    return met;
  }

  #labelOf(name: string, result: JsonValue): Trigger | undefined {
    const method = this.#methods[name];
    if (method === undefined || !isRouter(method) || result === null || result === "")
      return undefined;
    return { name: textOf(result), value: result };
  }

  #names(test: (method: MethodDefinition) => boolean): string[] {
    return Object.keys(this.#methods).filter((name) => test(this.#methods[name] ?? {}));
  }
}

function isRouter({ router }: MethodDefinition): boolean {
  return router === true;
}

function evaluate(condition: Condition, seen: ReadonlySet<string>): boolean {
  if (typeof condition === "string") return seen.has(condition);
  return "and" in condition
    ? !condition.and.some((branch) => !evaluate(branch, seen))
    : condition.or.some((branch) => evaluate(branch, seen));
}

function mentioned(condition: Condition | undefined): Set<string> {
  if (condition === undefined) return new Set();
  if (typeof condition === "string") return new Set([condition]);
  const names = new Set<string>();
  for (const branch of "and" in condition ? condition.and : condition.or)
    for (const name of mentioned(branch)) names.add(name);
  return names;
}

/** A label as text; routers give no objects. */
export function textOf(label: JsonValue): string {
  return typeof label === "string" ? label : JSON.stringify(label);
}
