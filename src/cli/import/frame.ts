// Names of a body of Python, and what its statements do to them.
import type { Assignment, Definition, PythonNode, PythonSource } from "./python-source.ts";
import { assignmentOf, childrenOf } from "./python-source.ts";
import { statementsOf } from "./python-statements.ts";
import type { PythonValue } from "./python-value.ts";
import { readValue } from "./python-values.ts";

/** An object of a class of the project. */
export type Instance = {
  readonly source: PythonSource;
  readonly definition: Definition;
  /** Names of its constructor, if it has one. */
  constructed: Frame | undefined;
  /** Names of its class. */
  readonly fields: Frame;
  readonly key: string;
};

/** `task.context = […]`. */
export type Patch = {
  readonly target: string;
  readonly field: string;
  readonly value: PythonValue;
  /** The whole statement. */
  readonly node: PythonNode;
};

export type FrameOptions = {
  readonly parent?: Frame | undefined;
  readonly self?: Instance | undefined;
  readonly bindings?: ReadonlyMap<string, PythonValue>;
};

/** The names of a file, a class or a call of a function. */
export class Frame {
  readonly source: PythonSource;
  readonly parent: Frame | undefined;
  readonly self: Instance | undefined;
  readonly bindings: ReadonlyMap<string, PythonValue>;
  /** Evaluated names. */
  readonly known = new Map<string, PythonValue>();
  readonly patches: readonly Patch[];
  /** The value of the last `return`, if it is the only one. */
  readonly result: PythonValue | undefined;
  /** Statements that change a name, beside its assignments. */
  readonly #changes = new Map<string, PythonNode[]>();
  readonly #assigned = new Map<string, Assignment[]>();
  readonly #repeated = new Set<string>();
  readonly #appended = new Map<string, PythonValue[]>();

  constructor(source: PythonSource, body: PythonNode, options: FrameOptions = {}) {
    this.source = source;
    this.parent = options.parent;
    this.self = options.self;
    this.bindings = options.bindings ?? new Map();
    const patches: Patch[] = [];
    const results: PythonNode[] = [];
    for (const { node, isRepeated } of statementsOf(body)) {
      const found = node.name === "AssignStatement" ? assignmentOf(source, node) : undefined;
      if (found !== undefined) {
        this.#assigned.set(found.name, [...(this.#assigned.get(found.name) ?? []), found]);
        if (isRepeated) this.#repeated.add(found.name);
      } else if (node.name === "AssignStatement") patches.push(...patchOf(source, node));
      else if (node.name === "ReturnStatement" && node.lastChild !== null)
        results.push(node.lastChild);
      else if (node.name === "ExpressionStatement") this.#append(node, isRepeated);
    }
    this.patches = patches;
    const [result] = results;
    this.result =
      result === undefined || results.length > 1 ? undefined : readValue(source, result);
  }

  /** Returns the assigned value, or "several" if it depends on the executed code. */
  assigned(name: string): PythonValue | "several" | undefined {
    const [first, ...others] = this.#assigned.get(name) ?? [];
    if (first === undefined) return undefined;
    if (first.value === undefined || others.length > 0 || this.#repeated.has(name))
      return "several";
    const value = readValue(this.source, first.value);
    const more = this.#appended.get(name);
    return more === undefined || value.kind !== "list"
      ? value
      : { ...value, items: [...value.items, ...more] };
  }

  /** The statements that assign and change a name. */
  statements(name: string): readonly PythonNode[] {
    const assigned = (this.#assigned.get(name) ?? []).map(({ node }) => node);
    return [...assigned, ...(this.#changes.get(name) ?? [])];
  }

  /** `tasks.append(…)`. */
  #append(node: PythonNode, isRepeated: boolean): void {
    const call = node.firstChild === null ? undefined : readValue(this.source, node.firstChild);
    if (call?.kind !== "call" || !call.name.endsWith(".append")) return;
    const name = call.name.slice(0, -".append".length);
    if (isRepeated) this.#repeated.add(name);
    this.#changes.set(name, [...(this.#changes.get(name) ?? []), node]);
    this.#appended.set(name, [...(this.#appended.get(name) ?? []), ...call.args]);
  }
}

function patchOf(source: PythonSource, node: PythonNode): readonly Patch[] {
  const parts = childrenOf(node);
  const target = parts[0]?.name === "MemberExpression" ? source.textOf(parts[0]) : "";
  const [, name, field] = /^((?:self\.)?\w+)\.(\w+)$/.exec(target) ?? [];
  const value = parts.at(-1);
  if (name === undefined || field === undefined || parts.length !== 3 || value === undefined)
    return [];
  return [{ target: name, field, value: readValue(source, value), node }];
}
