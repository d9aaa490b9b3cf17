// Values of names: variables of bodies and files, fields of objects, members of dotted names.
import type { Evaluation } from "./evaluation.ts";
import type { Frame, Instance } from "./frame.ts";
import { openAt } from "./open-places.ts";
import type { PythonSource } from "./python-source.ts";
import type { PythonValue } from "./python-value.ts";
import { codeKey } from "./unread-code.ts";

/** True for the names of a method's own object and class. */
export function isSelf(name: string): boolean {
  return name === "self" || name === "cls";
}

export class VariableValues {
  readonly #evaluation: Evaluation;

  constructor(evaluation: Evaluation) {
    this.#evaluation = evaluation;
  }

  /** Returns the value of a dotted name, or `value` if it has none. */
  of(name: string, value: PythonValue, frame: Frame): PythonValue {
    const [first = "", ...rest] = name.split(".");
    if (isSelf(first) && frame.self !== undefined && rest.length > 0) {
      const own = this.#field(frame.self, rest[0] ?? "");
      return own === undefined ? value : this.#members(own, rest.slice(1), value);
    }
    const found = this.#variable(first, frame);
    return found === undefined ? value : this.#members(found, rest, value);
  }

  #members(of: PythonValue, names: readonly string[], value: PythonValue): PythonValue {
    let here = of;
    for (const name of names) {
      const instance = this.#evaluation.instances.get(here);
      const next = instance === undefined ? undefined : this.#field(instance, name);
      // A member of an object of another package keeps its name.
      if (next === undefined) return value;
      here = next;
    }
    return here;
  }

  #variable(name: string, frame: Frame): PythonValue | undefined {
    for (let here: Frame | undefined = frame; here !== undefined; here = here.parent) {
      const bound = here.bindings.get(name);
      const found = this.#assigned(name, here) ?? bound;
      if (found !== undefined) return found;
    }
    if (frame.self !== undefined && isSelf(name)) return undefined;
    const file = this.#evaluation.fileFrame(frame.source);
    return this.#assigned(name, file) ?? this.#imported(name, frame.source);
  }

  #imported(name: string, source: PythonSource): PythonValue | undefined {
    const { program } = this.#evaluation;
    if (program.find(name, source) !== undefined) return undefined;
    if (!new RegExp(`\\bimport\\b[^]*?\\b${name.replaceAll(/\W/g, "")}\\b`).test(source.text))
      return undefined;
    const frames = program.sources
      .filter((each) => each !== source)
      .map((each) => this.#evaluation.fileFrame(each))
      .filter((each) => each.assigned(name) !== undefined);
    return frames.length === 1 && frames[0] !== undefined
      ? this.#assigned(name, frames[0])
      : undefined;
  }

  /** A name's value in a frame, evaluated once. A name that needs itself is unread. */
  #assigned(name: string, frame: Frame): PythonValue | undefined {
    const { used, names } = this.#evaluation;
    const known = frame.known.get(name);
    if (known !== undefined) return known;
    const assigned = frame.assigned(name);
    if (assigned === undefined) return undefined;
    for (const node of frame.statements(name)) used.add(codeKey(frame.source, node));
    for (const node of frame.conditional(name))
      this.#evaluation.computed.push(
        openAt(frame.source, node, "a condition adds to this list: left out"),
      );
    if (assigned === "several") {
      const value: PythonValue = { source: frame.source, node: frame.source.root, kind: "unread" };
      frame.known.set(name, value);
      return value;
    }
    frame.known.set(name, { ...assigned, kind: "unread" });
    const value = this.#evaluation.sharing(() => this.#evaluation.valueOf(assigned, frame));
    const plain = name.replace(/^self\./, "");
    const named = value.kind === "input" && value.name === "" ? { ...value, name: plain } : value;
    if (named.kind === "call") names.set(named, plain);
    frame.known.set(name, named);
    return named;
  }

  #field({ constructed, fields }: Instance, name: string): PythonValue | undefined {
    const own = constructed && this.#assigned(`self.${name}`, constructed);
    return own ?? this.#assigned(name, fields);
  }
}
