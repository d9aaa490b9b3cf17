// A crew in a file or in one of its functions, without a class.
//
//   SCS1. Its parts are the variables of `Agent(…)`, `Task(…)` and `Crew(…)`, by their names.
import { PlaceList, type CrewScope, type Method, type Returned, type Scope } from "./crew-scope.ts";
import { bodyOf, type Assignment, type PythonSource } from "./python-source.ts";
import { readValue, type PythonValue } from "./python-values.ts";

const KINDS: Readonly<Record<string, string>> = {
  Agent: "agent",
  Task: "task",
  ConditionalTask: "task",
  Crew: "crew",
};

export class ScriptScope extends PlaceList implements CrewScope {
  readonly methods: ReadonlyMap<string, Method>;
  readonly #source: PythonSource;
  readonly #scope: Scope;

  private constructor(source: PythonSource, scope: Scope) {
    super();
    this.#source = source;
    this.#scope = scope;
    const all = scope.toReversed().flat();
    this.methods = new Map(
      all.flatMap((each): [string, Method][] => {
        const kind = kindOf(source, each);
        if (kind === undefined) return [];
        const decorators = [{ name: kind, node: each.node, args: undefined }];
        return [
          [each.name, { kind: "function", name: each.name, node: each.node, decorators, source }],
        ];
      }),
    );
  }

  /** Returns the scripts of a file that make a crew. */
  static of(source: PythonSource): readonly ScriptScope[] {
    const file = bodyOf(source, source.root);
    const functions = file.definitions.filter(({ kind }) => kind === "function");
    const inside = functions.map(({ node }) => [
      bodyOf(source, node).assignments,
      file.assignments,
    ]);
    return [[file.assignments], ...inside]
      .filter(([own = []]) => own.some((each) => kindOf(source, each) === "crew"))
      .map((scope) => new ScriptScope(source, scope));
  }

  /** A script has no own fields: its YAML is at the default place. */
  field(): undefined {
    return undefined;
  }

  returned({ name }: Method): Returned | undefined {
    return this.made(name);
  }

  made(name: string): Returned | undefined {
    const [assigned, ...others] = this.#scope.flat().filter((each) => each.name === name);
    // A name assigned several times depends on the executed code.
    if (assigned?.value === undefined || others.length > 0) return undefined;
    const call = readValue(this.#source, assigned.value);
    return call.kind === "call" ? { call, scope: this.#scope } : undefined;
  }

  resolved(value: PythonValue, scope: Scope): PythonValue {
    if (value.kind !== "name" || this.methods.has(value.name)) return value;
    for (const assignments of scope) {
      const found = assignments.filter(({ name }) => name === value.name);
      const [first] = found;
      if (first?.value === undefined) continue;
      return found.length > 1 ? { ...value, kind: "unread" } : readValue(this.#source, first.value);
    }
    return value;
  }

  partName(value: PythonValue): string | undefined {
    return value.kind === "name" && this.methods.has(value.name) ? value.name : undefined;
  }
}

function kindOf(source: PythonSource, { value }: Assignment): string | undefined {
  const read = value === undefined ? undefined : readValue(source, value);
  const name = read?.kind === "call" ? (read.name.split(".").at(-1) ?? "") : "";
  return Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
}
