// Values of names, calls and texts of a program, without running it.
//
//   EVA1. A call of a function or a method of the project is the value of its one `return`; a class without base
//         classes makes an object with the fields of its constructor.
//   EVA2. A text of the caller (a parameter without a value, `input(…)`, `sys.argv[1]`) is an input: `{name}` in texts.
//         Another value that cannot be read is an input too where it stands in a text, and is listed.
//   EVA3. Evaluation ends: for a function that calls itself, and for programs that multiply their calls.
import { boundParameters } from "./bound-parameters.ts";
import { CallKeys, type Arguments } from "./call-keys.ts";
import { Frame, type Instance } from "./frame.ts";
import { isSecret } from "./hide-secrets.ts";
import { openAt, type OpenPlace } from "./open-places.ts";
import { codeKey } from "./unread-code.ts";
import { isPlain, methodOf, type Found, type Program } from "./program.ts";
import type { PythonSource } from "./python-source.ts";
import type { PythonCall, PythonValue } from "./python-values.ts";
import { textMethod } from "./text-methods.ts";
import { inputName, TEXT_FUNCTIONS } from "./text-values.ts";

const MAX_STEPS = 50_000;
/** Share of one name, so that the rest of a program is read beside one that multiplies its calls. */
const MAX_STEPS_OF_NAME = 5000;
const MAX_DEPTH = 40;

const NO_ARGUMENTS: Arguments = { args: [], keywords: [] };

type Function = Found & { readonly self?: Instance | undefined };

export class Evaluator {
  readonly program: Program;
  /** Inputs that Python computes. */
  readonly computed: OpenPlace[] = [];
  /** Functions and assignments whose values were used. */
  readonly used = new Set<string>();
  /** Names of agents and tasks, by their calls. */
  readonly names = new WeakMap<PythonValue, string>();
  readonly #instances = new WeakMap<PythonValue, Instance>();
  readonly #calls = new Map<string, PythonValue>();
  readonly #files = new Map<PythonSource, Frame>();
  readonly #keys = new CallKeys();
  /** Values that may still be evaluated. */
  #steps = MAX_STEPS;
  #depth = 0;

  constructor(program: Program) {
    this.program = program;
  }

  fileFrame(source: PythonSource): Frame {
    const known = this.#files.get(source);
    if (known !== undefined) return known;
    const frame = new Frame(source, source.root);
    this.#files.set(source, frame);
    return frame;
  }

  /** Returns a value with the values of its names. The same name has the same value. */
  valueOf(value: PythonValue, frame: Frame): PythonValue {
    this.#steps -= 1;
    if (this.#steps < 0 || this.#depth > MAX_DEPTH) return { ...value, kind: "unread" };
    this.#depth += 1;
    try {
      return this.#evaluated(value, frame);
    } finally {
      this.#depth -= 1;
    }
  }

  #evaluated(value: PythonValue, frame: Frame): PythonValue {
    switch (value.kind) {
      case "list":
        return { ...value, items: value.items.flatMap((item) => this.#items(item, frame)) };
      case "dict": {
        const entries = value.entries.map(
          ([key, each]) => [key, this.valueOf(each, frame)] as const,
        );
        return { ...value, entries };
      }
      case "format": {
        const parts = value.parts.map((each) =>
          typeof each === "string" ? each : this.#text(each, frame),
        );
        return { ...value, kind: "plain", value: parts.join("") };
      }
      case "name":
        return this.#name(value.name, value, frame);
      case "entry":
        return this.#entry(value, frame);
      case "call":
        return this.#call(value, frame);
      case "method":
        return this.#method(value, frame);
      default:
        return value;
    }
  }

  #items(item: PythonValue, frame: Frame): readonly PythonValue[] {
    if (item.kind !== "items") return [this.valueOf(item, frame)];
    const more = this.valueOf(item.of, frame);
    return more.kind === "list" ? more.items : [{ ...item, of: more }];
  }

  /** A value in a text: its own text, or the name of an input in braces. */
  #text(part: PythonValue, frame: Frame): string {
    const value = this.valueOf(part, frame);
    const isHidden = part.kind === "name" && isSecret(part.name);
    const isText = value.kind === "plain" && !isHidden;
    if (isText && value.value !== null && typeof value.value !== "object")
      return String(value.value);
    const name =
      value.kind === "input" && value.name !== ""
        ? value.name
        : inputName(part.source.textOf(part.node).replace(/^self\./, ""));
    if (value.kind !== "input") {
      const why = `the input \`${name}\` is ${isHidden ? "a secret" : "computed"}: pass it at the start`;
      const place = openAt(value.source, value.node, why);
      this.computed.push(isHidden ? { ...place, text: "(hidden)" } : place);
    }
    return `{${name}}`;
  }

  #name(name: string, value: PythonValue, frame: Frame): PythonValue {
    const [first = "", ...rest] = name.split(".");
    if (first === "self" && frame.self !== undefined && rest.length > 0) {
      const own = this.#field(frame.self, rest[0] ?? "");
      return own === undefined ? value : this.#members(own, rest.slice(1), value);
    }
    const found = this.#variable(first, frame);
    return found === undefined ? value : this.#members(found, rest, value);
  }

  #members(of: PythonValue, names: readonly string[], value: PythonValue): PythonValue {
    let here = of;
    for (const name of names) {
      const instance = this.#instances.get(here);
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
    if (frame.self !== undefined && name === "self") return undefined;
    const file = this.fileFrame(frame.source);
    return this.#assigned(name, file) ?? this.#imported(name, frame.source);
  }

  #imported(name: string, source: PythonSource): PythonValue | undefined {
    if (this.program.find(name, source) !== undefined) return undefined;
    if (!new RegExp(`\\bimport\\b[^]*?\\b${name.replaceAll(/\W/g, "")}\\b`).test(source.text))
      return undefined;
    const frames = this.program.sources
      .filter((each) => each !== source)
      .map((each) => this.fileFrame(each))
      .filter((each) => each.assigned(name) !== undefined);
    return frames.length === 1 && frames[0] !== undefined
      ? this.#assigned(name, frames[0])
      : undefined;
  }

  /** A name's value in a frame, evaluated once. A name that needs itself is unread. */
  #assigned(name: string, frame: Frame): PythonValue | undefined {
    const known = frame.known.get(name);
    if (known !== undefined) return known;
    const assigned = frame.assigned(name);
    if (assigned === undefined) return undefined;
    const at = { source: frame.source, node: frame.source.root };
    if (assigned === "several") {
      for (const node of frame.statements(name)) this.used.add(codeKey(frame.source, node));
      const value: PythonValue = { ...at, kind: "unread" };
      frame.known.set(name, value);
      return value;
    }
    frame.known.set(name, { ...assigned, kind: "unread" });
    for (const node of frame.statements(name)) this.used.add(codeKey(frame.source, node));
    const left = this.#steps;
    this.#steps = Math.min(left, MAX_STEPS_OF_NAME);
    const share = this.#steps;
    const value = this.valueOf(assigned, frame);
    this.#steps = left - (share - Math.max(0, this.#steps));
    const plain = name.replace(/^self\./, "");
    const named = value.kind === "input" && value.name === "" ? { ...value, name: plain } : value;
    if (named.kind === "call") this.names.set(named, plain);
    frame.known.set(name, named);
    return named;
  }

  #field({ constructed, fields }: Instance, name: string): PythonValue | undefined {
    const own = constructed && this.#assigned(`self.${name}`, constructed);
    return own ?? this.#assigned(name, fields);
  }

  #entry(value: PythonValue & { readonly kind: "entry" }, frame: Frame): PythonValue {
    if (/^(sys\.)?argv$/.test(value.of)) return { ...value, kind: "input", name: "" };
    const { of, key } = value;
    const found = this.#name(of, { ...value, kind: "name", name: of }, frame);
    if (found.kind === "dict" && value.field === undefined) {
      const entry = found.entries.find(([name]) => name === key)?.[1];
      if (entry !== undefined) return entry;
    }
    if (found.kind === "list") return found.items[Number(key)] ?? value;
    return found.kind === "input" ? { ...value, kind: "input", name: inputName(key) } : value;
  }

  #call(value: PythonCall, frame: Frame): PythonValue {
    const passed = this.#arguments(value, frame);
    const own = this.#function(value.name, frame);
    if (own !== undefined) return this.#returned(own, passed, value);
    if (value.name === "input") return { ...value, kind: "input", name: "" };
    const [first] = passed.args;
    const textFunction = TEXT_FUNCTIONS[value.name];
    if (textFunction !== undefined && first?.kind === "plain" && typeof first.value === "string")
      return { ...value, kind: "plain", value: textFunction(first.value) };
    if (textFunction !== undefined && first?.kind === "input") return first;
    const [object = "", ...rest] = value.name.split(".");
    const [method] = rest;
    if (rest.length === 1 && method !== undefined) {
      const on = this.#name(object, { ...value, kind: "name", name: object }, frame);
      const made = this.#ofText(method, on, passed);
      if (made !== undefined) return { ...made, source: value.source, node: value.node };
    }
    return { ...value, ...passed };
  }

  #method(value: PythonValue & { readonly kind: "method" }, frame: Frame): PythonValue {
    const on = this.valueOf(value.of, frame);
    const passed = this.#arguments(value, frame);
    const instance = this.#instances.get(on);
    const own = instance && this.#methodOf(instance, value.name);
    if (own !== undefined) return this.#returned(own, passed, value);
    return this.#ofText(value.name, on, passed) ?? { ...value, ...passed, of: on };
  }

  #ofText(method: string, on: PythonValue, passed: Arguments): PythonValue | undefined {
    const text = (value: PythonValue): string => this.#text(value, this.fileFrame(value.source));
    return textMethod(method, { on, ...passed, text });
  }

  #arguments({ args, keywords }: Arguments, frame: Frame): Arguments {
    return {
      args: args.flatMap((each) => this.#items(each, frame)),
      keywords: keywords.map(({ name, value }) => ({ name, value: this.valueOf(value, frame) })),
    };
  }

  /** A function, a method or a plain class of the project. */
  #function(name: string, frame: Frame): Function | undefined {
    const [first = "", ...rest] = name.split(".");
    const last = rest.at(-1);
    if (last === undefined) {
      const found = this.program.find(first, frame.source);
      return found !== undefined && isPlain(found) ? found : undefined;
    }
    if (first === "self" && rest.length === 1 && frame.self !== undefined)
      return this.#methodOf(frame.self, last);
    const on = this.#name(
      [first, ...rest.slice(0, -1)].join("."),
      { source: frame.source, node: frame.source.root, kind: "name", name: "" },
      frame,
    );
    const instance = this.#instances.get(on);
    if (instance !== undefined) return this.#methodOf(instance, last);
    const owner = rest.length === 1 ? this.program.find(first, frame.source) : undefined;
    return owner?.definition.kind === "class" && isPlain(owner) ? methodOf(owner, last) : undefined;
  }

  #methodOf(self: Instance, name: string): Function | undefined {
    const found = methodOf(self, name);
    return found && { ...found, self };
  }

  #returned(own: Function, passed: Arguments, value: PythonValue): PythonValue {
    const key = this.#keys.of(own, passed, own.self?.key);
    const known = this.#calls.get(key);
    if (known !== undefined) return known;
    this.#calls.set(key, { ...value, kind: "unread" });
    const made =
      own.definition.kind === "class"
        ? this.#made(own, { passed, value, key })
        : this.#result(own, passed, value);
    this.#calls.set(key, made);
    return made;
  }

  #result(own: Function, passed: Arguments, value: PythonValue): PythonValue {
    const { source, definition, self } = own;
    const bindings = this.parameters(own, passed);
    const frame = new Frame(source, definition.node, { self, bindings });
    const made = frame.result === undefined ? undefined : this.valueOf(frame.result, frame);
    if (made === undefined || made.kind === "unread") return { ...value, kind: "unread" };
    this.used.add(codeKey(source, definition.node));
    if (made.kind === "call") this.names.set(made, definition.name.replace(/^_+/, ""));
    return made;
  }

  /** An object of a plain class. */
  #made(
    own: Function,
    {
      passed,
      value,
      key,
    }: { readonly passed: Arguments; readonly value: PythonValue; readonly key: string },
  ): PythonValue {
    const made = { ...value };
    this.#instances.set(made, this.instanceOf(own, { passed, key }));
    return made;
  }

  /** An object of a class. Without arguments, its parameters are inputs. */
  instanceOf(
    { source, definition }: Found,
    { passed, key }: { readonly passed?: Arguments; readonly key: string },
  ): Instance {
    const fields = new Frame(source, definition.node);
    const init = methodOf({ source, definition }, "__init__");
    const plain: Instance = { source, definition, fields, constructed: undefined, key };
    if (init === undefined) return plain;
    const bindings = this.parameters(init, passed);
    this.used.add(codeKey(source, init.definition.node));
    const constructed = new Frame(source, init.definition.node, { bindings, self: plain });
    return { ...plain, constructed };
  }

  /** The parameters of a function. Those without a value are inputs. */
  parameters(own: Found, passed: Arguments = NO_ARGUMENTS): ReadonlyMap<string, PythonValue> {
    const file = this.fileFrame(own.source);
    return boundParameters(own, passed, (value) => this.valueOf(value, file));
  }
}
