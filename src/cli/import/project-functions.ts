// Results of a project's own functions and methods, and objects of its plain classes.
import { boundParameters } from "./bound-parameters.ts";
import { CallKeys, type Arguments } from "./call-keys.ts";
import type { Evaluation } from "./evaluation.ts";
import { Frame, type Instance } from "./frame.ts";
import { isPlain, methodOf, type Found } from "./program.ts";
import type { PythonValue } from "./python-value.ts";
import { readValue } from "./python-values.ts";
import { returnedNode, returnedValue } from "./returned-node.ts";
import { truthOf } from "./chosen-values.ts";
import { codeKey } from "./unread-code.ts";
import { isSelf, type VariableValues } from "./variable-values.ts";

const NO_ARGUMENTS: Arguments = { args: [], keywords: [] };

export type ProjectFunction = Found & { readonly self?: Instance | undefined };

/** A class as the owner of its methods, for calls without an object. */
function classAlone({ source, definition }: Found): Instance {
  const fields = new Frame(source, definition.node);
  return { source, definition, fields, constructed: undefined, key: definition.name };
}

export class ProjectFunctions {
  readonly #evaluation: Evaluation;
  readonly #variables: VariableValues;
  readonly #calls = new Map<string, PythonValue>();
  readonly #keys = new CallKeys();

  constructor(evaluation: Evaluation, variables: VariableValues) {
    this.#evaluation = evaluation;
    this.#variables = variables;
  }

  /** Finds a function, a method or a plain class of the project. */
  find(name: string, frame: Frame): ProjectFunction | undefined {
    const { program, instances } = this.#evaluation;
    const [first = "", ...rest] = name.split(".");
    const last = rest.at(-1);
    if (last === undefined) {
      const found = program.find(first, frame.source);
      return found !== undefined && isPlain(found) ? found : undefined;
    }
    if (isSelf(first) && rest.length === 1 && frame.self !== undefined)
      return this.method(frame.self, last);
    const on = this.#variables.of(
      [first, ...rest.slice(0, -1)].join("."),
      { source: frame.source, node: frame.source.root, kind: "name", name: "" },
      frame,
    );
    const instance = instances.get(on);
    if (instance !== undefined) return this.method(instance, last);
    const owner = rest.length === 1 ? program.find(first, frame.source) : undefined;
    return owner?.definition.kind === "class" && isPlain(owner)
      ? this.method(classAlone(owner), last)
      : undefined;
  }

  method(self: Instance, name: string): ProjectFunction | undefined {
    const found = methodOf(self, name);
    return found && { ...found, self };
  }

  /** Returns the value of a call. Equal calls have one value. */
  called(own: ProjectFunction, passed: Arguments, value: PythonValue): PythonValue {
    const key = this.#keys.of(own, passed, own.self?.key);
    const known = this.#calls.get(key);
    if (known !== undefined) return known;
    this.#calls.set(key, { ...value, kind: "unread" });
    const made =
      own.definition.kind === "class"
        ? this.#object(own, { passed, value, key })
        : this.#result(own, passed, value);
    this.#calls.set(key, made);
    return made;
  }

  #result(own: ProjectFunction, passed: Arguments, value: PythonValue): PythonValue {
    const { source, definition, self } = own;
    const bindings = this.parameters(own, passed);
    const frame = new Frame(source, definition.node, { self, bindings });
    const node = returnedNode(definition.node, (test) =>
      truthOf(this.#evaluation.valueOf(readValue(source, test), frame)),
    );
    const returned =
      node === undefined || node === "unknown" ? undefined : returnedValue(source, node);
    const made = returned && this.#evaluation.valueOf(returned, frame);
    if (made === undefined || made.kind === "unread") return { ...value, kind: "unread" };
    this.#evaluation.used.add(codeKey(source, definition.node));
    if (made.kind === "call") this.#evaluation.names.set(made, definition.name.replace(/^_+/, ""));
    return made;
  }

  /** An object of a plain class. */
  #object(
    own: ProjectFunction,
    {
      passed,
      value,
      key,
    }: { readonly passed: Arguments; readonly value: PythonValue; readonly key: string },
  ): PythonValue {
    const made = { ...value };
    this.#evaluation.instances.set(made, this.instanceOf(own, { passed, key }));
    return made;
  }

  /** An object of a class. Without arguments, its parameters are inputs. */
  instanceOf(
    { source, definition }: Found,
    { passed, key }: { readonly passed?: Arguments; readonly key: string },
  ): Instance {
    const fields = new Frame(source, definition.node);
    const init = methodOf({ source, definition }, "__init__");
    const self: Instance = { source, definition, fields, constructed: undefined, key };
    if (init === undefined) return self;
    const bindings = this.parameters(init, passed);
    this.#evaluation.used.add(codeKey(source, init.definition.node));
    // Methods that the constructor calls read its fields.
    self.constructed = new Frame(source, init.definition.node, { bindings, self });
    return self;
  }

  /** The parameters of a function. Those without a value are inputs. */
  parameters(own: Found, passed: Arguments = NO_ARGUMENTS): ReadonlyMap<string, PythonValue> {
    const file = this.#evaluation.fileFrame(own.source);
    return boundParameters(own, passed, (value) => this.#evaluation.valueOf(value, file));
  }
}
