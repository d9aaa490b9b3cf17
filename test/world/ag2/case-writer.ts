import type { Random } from "../support/random.ts";
import type { Reply, ScriptedCall, ToolName } from "./conversation-case.ts";

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

const ODD_ARGUMENTS = [
  '{"topic": ',
  "not json",
  "{}",
  "[1, 2]",
  '{"topic": 5, "a": "x", "b": 1}',
] as const;

/** Random words, texts, calls and scripts of one case. */
export class CaseWriter {
  readonly random: Random;
  #serial = 10;

  constructor(random: Random) {
    this.random = random;
  }

  word(): string {
    return this.random.pick(WORDS);
  }

  /** A text that the case has once. */
  phrase(): string {
    return `${this.word()} ${this.word()} ${this.#serial++}`;
  }

  some<Item>(items: readonly Item[], probability = 0.5): Item[] {
    return items.filter(() => this.random.chance(probability));
  }

  /** A list of `count` values. */
  list<Item>(count: number, make: (index: number) => Item): Item[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }

  /** A text of a model. Some end a conversation, a few are empty. */
  says(end: number): string {
    const { random } = this;
    if (random.chance(end))
      return random.pick(["TERMINATE", `${this.phrase()} TERMINATE`, "TERMINATE"]);
    return random.chance(0.01) ? "" : this.phrase();
  }

  /** A text of a person. */
  typed(): string {
    return this.random.pick(["", "", this.phrase(), this.phrase(), "exit", "TERMINATE"]);
  }

  call(names: readonly ToolName[]): ScriptedCall {
    const { random } = this;
    const name = random.pick(names);
    if (random.chance(0.06)) return { name: "no_such_tool", args: { topic: "x" } };
    if (random.chance(0.06)) return { name, raw: random.pick(ODD_ARGUMENTS) };
    return { name, args: this.#argumentsOf(name) };
  }

  /** One call, or several in one message, with or without words beside them. */
  calls(names: readonly ToolName[]): Reply {
    const { random } = this;
    const count = random.chance(0.3) ? 2 + random.below(2) : 1;
    const tools = this.list(count, () => this.call(names));
    return random.chance(0.15) ? { tools, text: this.phrase() } : { tools };
  }

  script(tools: readonly ToolName[], length: number, end = 0.12): Reply[] {
    return this.list(length, () =>
      tools.length > 0 && this.random.chance(0.35) ? this.calls(tools) : { text: this.says(end) },
    );
  }

  texts(length: number): Reply[] {
    return this.list(length, () => ({ text: this.phrase() }));
  }

  #argumentsOf(name: ToolName): Readonly<Record<string, unknown>> {
    const { random } = this;
    switch (name) {
      case "add":
        return { a: random.below(50), b: random.below(50) };
      case "fails":
        return { reason: this.word() };
      case "setvar":
        return { name: random.pick(["flag", "count", "other"]), value: random.below(5) };
      case "go":
        return { where: random.pick(["ana", "ben", "cyd", "terminate", "stay", "nowhere"]) };
      case "bump":
      case "poke":
        return {};
      default:
        return { topic: this.word() };
    }
  }
}
