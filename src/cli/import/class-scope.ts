// Methods and names of a class and its base classes, and the open places among them.
//
//   CSC1. A method's body is simple assignments, and one `return` of a call.
//   CSC2. An unreadable value leaves its argument out, and is an open place with line and text.
//   CSC3. A name is replaced by its assigned value in the method, the class (or its `__init__`) or the file, in one
//         step.
//   CSC4. Methods and names of other classes among the files apply if the class has none of its own.
import { PlaceList, type CrewScope, type Method, type Returned, type Scope } from "./crew-scope.ts";
import { bodyOf, type Assignment, type Definition, type PythonSource } from "./python-source.ts";
import { codeKey } from "./unread-code.ts";
import type { PythonValue } from "./python-value.ts";
import { readArguments, readValue } from "./python-values.ts";

type Class = { readonly source: PythonSource; readonly definition: Definition };

/** Compares classes by place, as the parser makes new nodes for each access. */
function isSame(one: Class, other: Class): boolean {
  return one.source === other.source && one.definition.node.from === other.definition.node.from;
}

export class ClassScope extends PlaceList implements CrewScope {
  /** Methods by name, those of base classes first. */
  readonly methods: ReadonlyMap<string, Method>;
  readonly #sources: readonly PythonSource[];
  /** Fields of the class, and assignments of its constructor: `self.model = LLM(…)`. The class's own are last. */
  readonly #fields: (Assignment & { readonly source: PythonSource })[] = [];

  /** `sources` are searched for base classes. */
  constructor(source: PythonSource, definition: Definition, sources: readonly PythonSource[]) {
    super();
    this.#sources = sources;
    const methods = new Map<string, Method>();
    this.#add({ source, definition }, { done: [], methods });
    this.methods = methods;
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
      for (const each of [source, ...this.#sources]) {
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
    const file = bodyOf(found.source, found.source.root);
    return this.resolved(readValue(found.source, found.value), [file.assignments]);
  }

  /** Returns the call in a method's `return`, with the values of its names. */
  returned(method: Method): Returned | undefined {
    const { source } = method;
    this.used.add(codeKey(source, method.node));
    const body = bodyOf(source, method.node);
    const scope = [body.assignments, bodyOf(source, source.root).assignments];
    const returns = body.others.filter(({ name }) => name === "ReturnStatement");
    for (const node of body.others)
      if (!returns.includes(node)) this.leave({ source, node }, "a statement that is not read");
    const last = returns.at(-1)?.lastChild ?? undefined;
    const value = last === undefined ? undefined : this.resolved(readValue(source, last), scope);
    if (value?.kind === "call") return { call: value, scope };
    this.leave({ source, node: last ?? method.node }, "does not return a call that can be read");
    return undefined;
  }

  /** Returns the result of a method with this name. */
  made(name: string): Returned | undefined {
    const method = this.methods.get(name);
    return method === undefined ? undefined : this.returned(method);
  }

  resolved(value: PythonValue, scope: Scope): PythonValue {
    if (value.kind !== "name") return value;
    const own = /^self\.(\w+)$/.exec(value.name)?.[1];
    const fields = this.#fields.filter(({ name }) => name === own);
    const places = own === undefined ? scope : [fields];
    for (const assignments of places) {
      const found = assignments.filter(({ name }) => name === (own ?? value.name));
      const [first] = found;
      if (first?.value === undefined) continue;
      for (const { node } of found) this.used.add(codeKey(value.source, node));
      // A name assigned several times depends on the executed code.
      if (found.length > 1) return { ...value, kind: "unread" };
      return readValue(
        own === undefined ? value.source : (fields[0]?.source ?? value.source),
        first.value,
      );
    }
    return value;
  }

  /** `self.writer()`, or `self.writer`. */
  partName(value: PythonValue): string | undefined {
    if (value.kind !== "call" && value.kind !== "name") return undefined;
    return /^self\.(\w+)$/.exec(value.name)?.[1];
  }
}

/** Python base classes that add no members to a crew. */
const PLAIN_BASES = new Set(["object", "ABC", "Generic", "Protocol"]);
