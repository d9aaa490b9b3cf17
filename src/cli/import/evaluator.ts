// Values of names, calls and texts of a program, without running it.
//
//   EVA1. A call of a function or a method of the project is the value of its one `return`; a class without base
//         classes makes an object with the fields of its constructor.
//   EVA2. A text of the caller (a parameter without a value, `input(…)`, `sys.argv[1]`) is an input: `{name}` in texts.
//         Another value that cannot be read is an input too where it stands in a text, and is listed.
//   EVA3. Evaluation ends: for a function that calls itself, and for programs that multiply their calls.
import type { Arguments } from "./call-keys.ts";
import { chosen, defaultOf, defaultTaken, either, truthOf } from "./chosen-values.ts";
import type { Evaluation } from "./evaluation.ts";
import { Frame, type Instance } from "./frame.ts";
import { isSecret } from "./hide-secrets.ts";
import { openAt, type OpenPlace } from "./open-places.ts";
import { isMapping, madeByPython } from "./built-in-calls.ts";
import type { Found, Program } from "./program.ts";
import { ProjectFunctions } from "./project-functions.ts";
import type { PythonSource } from "./python-source.ts";
import type { PythonCall, PythonValue } from "./python-value.ts";
import { textMethod } from "./text-methods.ts";
import { spreadKeywords } from "./spread-keywords.ts";
import { inputName } from "./text-values.ts";
import { VariableValues } from "./variable-values.ts";

const MAX_STEPS = 50_000;
/** Share of one name, so that the rest of a program is read beside one that multiplies its calls. */
const MAX_STEPS_OF_NAME = 5000;
const MAX_DEPTH = 40;

export class Evaluator implements Evaluation {
  readonly program: Program;
  /** Inputs that Python computes. */
  readonly computed: OpenPlace[] = [];
  /** Functions and assignments whose values were used. */
  readonly used = new Set<string>();
  /** Names of agents and tasks, by their calls. */
  readonly names = new WeakMap<PythonValue, string>();
  readonly instances = new WeakMap<PythonValue, Instance>();
  readonly #files = new Map<PythonSource, Frame>();
  readonly #variables = new VariableValues(this);
  readonly #functions = new ProjectFunctions(this, this.#variables);
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

  sharing(read: () => PythonValue): PythonValue {
    const left = this.#steps;
    const share = Math.min(left, MAX_STEPS_OF_NAME);
    this.#steps = share;
    const value = read();
    this.#steps = left - (share - Math.max(0, this.#steps));
    return value;
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
        return this.#variables.of(value.name, value, frame);
      case "entry":
        return this.#entry(value, frame);
      case "call":
        return this.#call(value, frame);
      case "either": {
        const [left, right] = value.sides.map((each) => this.valueOf(each, frame));
        return left === undefined || right === undefined ? value : either(left, right);
      }
      case "choice":
        return chosen(
          this.valueOf(value.test, frame),
          value.sides.map((each) => this.valueOf(each, frame)),
        );
      case "not": {
        const truth = truthOf(this.valueOf(value.of, frame));
        return truth === undefined
          ? { ...value, kind: "unread" }
          : { ...value, kind: "plain", value: !truth };
      }
      case "member": {
        const of = this.valueOf(value.of, frame);
        const item = of.kind === "list" ? of.items[value.index] : undefined;
        return item ?? { ...value, kind: "unread" };
      }
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
    const found = this.valueOf(part, frame);
    const value = this.#defaultOf(found);
    const isHidden = part.kind === "name" && isSecret(part.name);
    const isText = value.kind === "plain" && !isHidden;
    if (isText && value.value !== null && typeof value.value !== "object")
      return String(value.value);
    const name =
      (value.kind === "input" || value.kind === "variable") && value.name !== ""
        ? value.name
        : inputName(part.source.textOf(part.node).replace(/^self\./, ""));
    if (value.kind !== "input") {
      const why = `the input \`${name}\` is ${isHidden ? "a secret" : "computed"}: pass it at the start`;
      const place = openAt(value.source, value.node, why);
      this.computed.push(isHidden ? { ...place, text: "(hidden)" } : place);
    }
    return `{${name}}`;
  }

  /** A variable's default is listed, since the environment may set another value (CHV1). */
  #defaultOf(value: PythonValue): PythonValue {
    const fallback = defaultOf(value);
    if (value.kind !== "variable" || fallback === undefined) return value;
    this.computed.push(openAt(value.source, value.node, defaultTaken(value.name)));
    return fallback;
  }

  #entry(value: PythonValue & { readonly kind: "entry" }, frame: Frame): PythonValue {
    if (/^(sys\.)?argv$/.test(value.of)) return { ...value, kind: "input", name: "" };
    const { of, key } = value;
    if (/^(os\.)?environ$/.test(of))
      return { ...value, kind: "variable", name: key, fallback: undefined };
    const found = this.#variables.of(of, { ...value, kind: "name", name: of }, frame);
    if (found.kind === "dict" && value.field === undefined) {
      const entry = found.entries.find(([name]) => name === key)?.[1];
      if (entry !== undefined) return entry;
    }
    if (found.kind === "list") return found.items[Number(key)] ?? value;
    // `config["role"]` with `config = AGENTS["writer"]`.
    if (found.kind === "entry" && found.field === undefined && value.field === undefined)
      return { ...value, of: found.of, key: found.key, field: key };
    return found.kind === "input" ? { ...value, kind: "input", name: inputName(key) } : value;
  }

  #call(value: PythonCall, frame: Frame): PythonValue {
    const passed = this.#arguments(value, frame);
    const own = this.#functions.find(value.name, frame);
    if (own !== undefined) return this.#functions.called(own, passed, value);
    const made = madeByPython(value, passed);
    if (made !== undefined) return made;
    const got = this.#got(value, passed, frame);
    if (got !== undefined) return got;
    const [object = "", ...rest] = value.name.split(".");
    const [method] = rest;
    if (rest.length === 1 && method !== undefined) {
      const on = this.#variables.of(object, { ...value, kind: "name", name: object }, frame);
      const text = this.#ofText(method, on, passed);
      if (text !== undefined) return { ...text, source: value.source, node: value.node };
      if (method === "copy" && isMapping(on)) return on;
    }
    return { ...value, ...passed };
  }

  /** `self.agents_config.get("writer", {})`, as an entry; of a known dict, its value or the default. */
  #got(value: PythonCall, { args }: Arguments, frame: Frame): PythonValue | undefined {
    const [, of] = /^((?:self\.)?\w+)\.get$/.exec(value.name) ?? [];
    const [key, otherwise] = args;
    if (of === undefined || key?.kind !== "plain" || typeof key.value !== "string")
      return undefined;
    const { source, node } = value;
    const on = this.#variables.of(of, { source, node, kind: "name", name: of }, frame);
    if (on.kind !== "dict")
      return this.#entry({ source, node, kind: "entry", of, key: key.value }, frame);
    const found = on.entries.find(([name]) => name === key.value)?.[1];
    return found ?? otherwise ?? { source, node, kind: "plain", value: null };
  }

  #method(value: PythonValue & { readonly kind: "method" }, frame: Frame): PythonValue {
    const on = this.valueOf(value.of, frame);
    const passed = this.#arguments(value, frame);
    const instance = this.instances.get(on);
    const own = instance && this.#functions.method(instance, value.name);
    if (own !== undefined) return this.#functions.called(own, passed, value);
    if (value.name === "copy" && isMapping(on)) return on;
    return this.#ofText(value.name, on, passed) ?? { ...value, ...passed, of: on };
  }

  #ofText(method: string, on: PythonValue, passed: Arguments): PythonValue | undefined {
    const text = (value: PythonValue): string => this.#text(value, this.fileFrame(value.source));
    return textMethod(method, { on, ...passed, text });
  }

  #arguments({ args, keywords }: Arguments, frame: Frame): Arguments {
    return {
      args: args.flatMap((each) => this.#items(each, frame)),
      keywords: spreadKeywords(keywords, (value) => this.valueOf(value, frame)),
    };
  }

  /** An object of a class. Without arguments, its parameters are inputs. */
  instanceOf(own: Found, { key }: { readonly key: string }): Instance {
    return this.#functions.instanceOf(own, { key });
  }

  /** The parameters of a function. Those without a default are inputs. */
  parameters(own: Found): ReadonlyMap<string, PythonValue> {
    return this.#functions.parameters(own);
  }
}
