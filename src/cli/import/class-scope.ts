// Methods and names of a class and its base classes, and the open places among them.
//
//   CSC1. A method's body is simple assignments, and one `return` of a call.
//   CSC2. An unreadable value leaves its argument out, and is an open place with line and text.
//   CSC3. A name is replaced by its assigned value in the method, the class (or its `__init__`) or the file. Other
//         values are evaluated, except for the methods of the class.
//   CSC4. Methods and names of other classes among the files apply if the class has none of its own.
import { freeName } from "./free-name.ts";
import { PlaceList, type CrewScope, type Method, type Returned, type Scope } from "./crew-scope.ts";
import { truthOf } from "./chosen-values.ts";
import type { Evaluator } from "./evaluator.ts";
import { Frame, type Instance } from "./frame.ts";
import { appendedList, isCheck } from "./plain-statements.ts";
import { returnedNode, returnedValue, returnsIn } from "./returned-node.ts";
import {
  bodyOf,
  type Assignment,
  type Definition,
  type PythonNode,
  type PythonSource,
} from "./python-source.ts";
import { codeKey } from "./unread-code.ts";
import { partKind, type PythonCall, type PythonValue } from "./python-value.ts";
import { readArguments, readValue } from "./python-values.ts";

type Class = { readonly source: PythonSource; readonly definition: Definition };

/** Compares classes by place, as the parser makes new nodes for each access. */
function isSame(one: Class, other: Class): boolean {
  return one.source === other.source && one.definition.node.from === other.definition.node.from;
}

export class ClassScope extends PlaceList implements CrewScope {
  /** Methods by name, those of base classes first. */
  readonly methods: Map<string, Method>;
  readonly #evaluator: Evaluator;
  readonly #object: Instance;
  readonly #frames = new Map<string, Frame>();
  /** Agents and tasks outside of the class, named by its parts. */
  readonly #others = new Map<string, PythonCall>();
  /** Fields of the class, and assignments of its constructor: `self.model = LLM(…)`. The class's own are last. */
  readonly #fields: (Assignment & { readonly source: PythonSource })[] = [];

  /** The files of the evaluator are searched for base classes. */
  constructor(own: Class, evaluator: Evaluator) {
    super();
    this.#evaluator = evaluator;
    const methods = new Map<string, Method>();
    this.#add(own, { done: [], methods });
    this.methods = methods;
    this.#object = evaluator.instanceOf(own, { key: `${own.source.path}:${own.definition.name}` });
  }

  #add(
    { source, definition }: Class,
    { done, methods }: { readonly done: Class[]; readonly methods: Map<string, Method> },
  ): void {
    // Each class once, as in Python: a shared base class comes before all its subclasses.
    done.push({ source, definition });
    for (const base of this.#bases(source, definition).toReversed())
      if (!done.some((each) => isSame(each, base))) this.#add(base, { done, methods });
    const body = bodyOf(source, definition.node);
    const own = body.definitions.filter(({ kind }) => kind === "function");
    for (const method of own) methods.set(method.name, { ...method, source });
    const init = own.find(({ name }) => name === "__init__");
    const made = init === undefined ? [] : bodyOf(source, init.node).assignments;
    const fields = [...body.assignments, ...made.filter(({ name }) => name.startsWith("self."))]
      .filter(({ value }) => value !== undefined)
      .map((each) => ({ ...each, name: each.name.replace(/^self\./, ""), source }));
    const names = new Set(fields.map(({ name }) => name));
    const kept = this.#fields.filter(({ name }) => !names.has(name));
    this.#fields.splice(0, this.#fields.length, ...kept, ...fields);
  }

  #bases(source: PythonSource, definition: Definition): readonly Class[] {
    const list = definition.node.getChild("ArgList");
    if (list === null) return [];
    return readArguments(source, list).args.flatMap((base) => {
      const name = base.kind === "name" ? (base.name.split(".").at(-1) ?? "") : "";
      if (PLAIN_BASES.has(name)) return [];
      for (const each of [source, ...this.#evaluator.program.sources]) {
        const found = bodyOf(each, each.root).definitions.find(
          (other) =>
            other.kind === "class" &&
            other.name === name &&
            !isSame({ source: each, definition: other }, { source, definition }),
        );
        if (found !== undefined) return [{ source: each, definition: found }];
      }
      this.leave(base, "members of another class are not read: copy its methods into this one");
      return [];
    });
  }

  /** Returns the value of a name of the class itself. */
  field(name: string): PythonValue | undefined {
    const found = this.#fields.findLast((each) => each.name === name);
    if (found?.value === undefined) return undefined;
    const frame = this.#evaluator.fileFrame(found.source);
    return this.resolved(readValue(found.source, found.value), { frame });
  }

  /** Returns the call in a method's `return`, with the values of its names. */
  returned(method: Method): Returned | undefined {
    const { source, node: definition } = method;
    const other = this.#others.get(method.name);
    if (other !== undefined)
      return { call: other, scope: { frame: this.#evaluator.fileFrame(source) } };
    this.used.add(codeKey(source, definition));
    const frame = this.#frameOf(method);
    const truth = (test: PythonNode): boolean | undefined =>
      truthOf(this.#evaluator.valueOf(readValue(source, test), frame));
    const found = returnedNode(definition, truth);
    const node = found === "unknown" ? returnsIn(definition).at(-1) : found;
    const { others, assignments } = bodyOf(source, definition);
    const lists = new Set(assignments.map(({ name }) => name));
    const pops: PythonNode[] = [];
    for (const each of others) {
      const isAround = node !== undefined && each.from <= node.from && node.to <= each.to;
      if (isAround && found !== "unknown") continue;
      if (isAround && each.name !== "ReturnStatement")
        this.leave({ source, node: each }, "conditions choose the result: the last is read");
      else if (isAround) continue;
      else if (isCheck(source, each)) this.pass({ source, node: each }, CHECK);
      else if (POP.test(source.textOf(each))) pops.push(each);
      else if (!lists.has(appendedList(source, each) ?? ""))
        this.leave({ source, node: each }, "a statement that is not read");
    }
    const returned = node && returnedValue(source, node);
    // The parts of the crew in its arguments keep their names.
    const value = returned && this.#named(returned, { frame });
    if (value?.kind !== "call") {
      this.leave({ source, node: node ?? definition }, "does not return a call that can be read");
      return undefined;
    }
    // `config.pop("agent")` changes nothing if the call passes an agent of its own.
    for (const each of pops) {
      const [, key] = POP.exec(source.textOf(each)) ?? [];
      if (!value.keywords.some(({ name }) => name === key))
        this.leave({ source, node: each }, "a statement that is not read");
    }
    return { call: value, scope: { frame } };
  }

  /** The body of a method, in an object of the class. */
  #frameOf({ source, node, name }: Method): Frame {
    const key = `${source.path}:${node.from}`;
    const known = this.#frames.get(key);
    if (known !== undefined) return known;
    const own = { source, definition: { kind: "function", name, node, decorators: [] } as const };
    const bindings = this.#evaluator.parameters(own);
    const frame = new Frame(source, node, { self: this.#object, bindings });
    this.#frames.set(key, frame);
    return frame;
  }

  /** Returns the result of a method with this name. */
  made(name: string): Returned | undefined {
    const method = this.methods.get(name);
    return method === undefined ? undefined : this.returned(method);
  }

  /** Returns the value of a name, and the results of other code. Items of a list stay as they are. */
  resolved(value: PythonValue, scope: Scope): PythonValue {
    const found = this.#named(value, scope);
    if (found.kind === "list" || this.methods.has(ownName(found) ?? "")) return found;
    const made = this.evaluated(found, scope);
    if (made.kind === "call" && value.kind === "name")
      this.#evaluator.names.set(made, value.name.replace(/^self\./, ""));
    return made;
  }

  evaluated(value: PythonValue, { frame }: Scope): PythonValue {
    const before = this.#evaluator.computed.length;
    const found = this.#evaluator.valueOf(value, frame);
    for (const place of this.#evaluator.computed.slice(before)) this.add(place);
    return found;
  }

  /** Returns the assigned value of a name. */
  #named(value: PythonValue, { frame }: Scope): PythonValue {
    if (value.kind !== "name") return value;
    const own = /^self\.(\w+)$/.exec(value.name)?.[1];
    if (own !== undefined) {
      const field = this.#fields.findLast(({ name }) => name === own);
      if (field?.value === undefined) return value;
      this.used.add(codeKey(field.source, field.node));
      return readValue(field.source, field.value);
    }
    for (const each of [frame, this.#evaluator.fileFrame(value.source)]) {
      const assigned = each.assigned(value.name);
      if (assigned === undefined) continue;
      for (const node of each.statements(value.name)) this.used.add(codeKey(each.source, node));
      return assigned === "several" ? { ...value, kind: "unread" } : assigned;
    }
    return value;
  }

  /** `self.writer()`, or `self.writer`; also the variable of an agent or a task outside of the class. */
  partName(value: PythonValue): string | undefined {
    const own = ownName(value);
    const kind = value.kind === "call" ? partKind(value) : undefined;
    if (own !== undefined || kind === undefined || value.kind !== "call") return own;
    const { source, node } = value;
    for (const [name, call] of this.#others)
      if (call.source === source && call.node.from === node.from) return name;
    const wanted = this.#evaluator.names.get(value) ?? kind;
    const name = freeName(wanted, new Set(this.methods.keys()));
    this.#others.set(name, value);
    const decorators = [{ name: kind, node, args: undefined }];
    this.methods.set(name, { kind: "function", name, node, source, decorators });
    return name;
  }
}

/** The method of `self.writer()`, or of `self.writer`. */
function ownName(value: PythonValue): string | undefined {
  return value.kind === "call" || value.kind === "name"
    ? /^self\.(\w+)$/.exec(value.name)?.[1]
    : undefined;
}

const CHECK = "checks or reports something in Python";
/** `config.pop("agent", None)`. */
const POP = /^\w+\.pop\(\s*["'](\w+)["']/;

/** Python base classes that add no members to a crew. */
const PLAIN_BASES = new Set(["object", "ABC", "Generic", "Protocol"]);
