import type { Random } from "../support/random.ts";
import type { ScriptedCall } from "./crew-case.ts";

export const WORDS = [
  "tides",
  "copper",
  "orchard",
  "lantern",
  "granite",
  "harbour",
  "violet",
  "meadow",
] as const;

/** Random words, texts and calls of one case. */
export class CaseWriter {
  readonly random: Random;
  #serial = 0;

  constructor(random: Random) {
    this.random = random;
  }

  word(): string {
    return this.random.pick(WORDS);
  }

  /** A text that the case has once. */
  phrase(): string {
    return `${this.word()} ${this.word()} ${100 + this.#serial++}`;
  }

  some<Item>(items: readonly Item[], probability: number): Item[] {
    return items.filter(() => this.random.chance(probability));
  }

  /** A call of a tool that both runners have. */
  call(): ScriptedCall {
    const { random } = this;
    const makers = [
      () => ({ name: "lookup", args: { topic: this.word() } }),
      () => ({ name: "lookup", args: { topic: this.word() } }),
      () => ({ name: "add", args: { a: random.below(50), b: random.below(50) } }),
      () => ({ name: "fails", args: { reason: this.word() } }),
    ];
    return random.pick(makers)();
  }

  /** A call whose arguments or name are not quite right. */
  oddCall(): ScriptedCall {
    const { random } = this;
    const makers: readonly (() => ScriptedCall)[] = [
      () => ({ name: "add", args: { a: String(random.below(50)), b: random.below(50) } }),
      () => ({ name: "add", args: { a: random.below(50) } }),
      () => ({ name: "add", args: { a: random.below(50), b: random.below(50), c: 1 } }),
      () => ({ name: "add", args: { a: 1.5, b: 2 } }),
      () => ({ name: "add", args: { a: "ten", b: 2 } }),
      () => ({ name: "lookup", args: {} }),
      () => ({ name: "lookup", args: { topic: random.below(99) } }),
      () => ({ name: "lookup", args: { topic: null } }),
      () => ({ name: "lookup", rawArgs: `{"topic": "${this.word()}"` }),
      () => ({ name: "lookup", rawArgs: `{'topic': '${this.word()}'}` }),
      () => ({ name: "lookup", rawArgs: "" }),
      () => ({ name: "lookup", rawArgs: "not json" }),
      () => ({ name: "Lookup", args: { topic: this.word() } }),
      () => ({ name: "no_such_tool", args: { q: 1 } }),
    ];
    return random.pick(makers)();
  }
}
