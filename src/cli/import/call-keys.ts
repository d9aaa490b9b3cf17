// Equal calls of a program have equal keys: two agents of the same function with the same arguments are one.
import type { Found } from "./program.ts";
import type { Keyword, PythonValue } from "./python-value.ts";

export type Arguments = {
  readonly args: readonly PythonValue[];
  readonly keywords: readonly Keyword[];
};

export class CallKeys {
  readonly #ids = new WeakMap<PythonValue, number>();
  #lastId = 0;

  /** `owner` is the key of the object whose method is called. */
  of({ source, definition }: Found, { args, keywords }: Arguments, owner = ""): string {
    const all = [
      ...args.map((each) => this.#describe(each)),
      ...keywords.map(({ name, value }) => `${name}=${this.#describe(value)}`),
    ];
    return `${owner}/${source.path}:${definition.node.from}(${all.join(",")})`;
  }

  #describe(value: PythonValue): string {
    if (value.kind === "plain") return JSON.stringify(value.value);
    if (value.kind === "input" || value.kind === "name") return `${value.kind} ${value.name}`;
    const known = this.#ids.get(value) ?? (this.#lastId += 1);
    this.#ids.set(value, known);
    return `#${known}`;
  }
}
