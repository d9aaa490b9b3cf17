// Names of a body of Python, and what its statements do to them.
import type { Definition, PythonNode, PythonSource } from "./python-source.ts";
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

/** True in a block of `if`, except for that of the executed file. */
function isConditional(source: PythonSource, node: PythonNode): boolean {
  for (let here = node.parent; here !== null; here = here.parent) {
    if (here.name === "FunctionDefinition" || here.name === "ClassDefinition") return false;
    if (here.name === "IfStatement" && !/^if\s+__name__\b/.test(source.textOf(here))) return true;
  }
  return false;
}

type Assigned = {
  readonly node: PythonNode;
  readonly value: (() => PythonValue) | undefined;
  readonly isFallback: boolean;
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
  /** Statements that change a name, beside its assignments. */
  readonly #changes = new Map<string, PythonNode[]>();
  readonly #assigned = new Map<string, Assigned[]>();
  readonly #repeated = new Set<string>();
  readonly #appended = new Map<string, PythonValue[]>();
  /** Statements that a condition decides about, by the list that they add to. */
  readonly #conditional = new Map<string, PythonNode[]>();

  constructor(source: PythonSource, body: PythonNode, options: FrameOptions = {}) {
    this.source = source;
    this.parent = options.parent;
    this.self = options.self;
    this.bindings = options.bindings ?? new Map();
    const patches: Patch[] = [];
    for (const { node, isRepeated, isFallback } of statementsOf(body)) {
      if (node.name === "ExpressionStatement") this.#append(node, isRepeated);
      if (node.name !== "AssignStatement") continue;
      const found = assignedNames(source, node);
      if (found.length === 0) patches.push(...patchOf(source, node));
      for (const { name, value } of found) {
        const all = this.#assigned.get(name) ?? [];
        this.#assigned.set(name, [...all, { node, value, isFallback }]);
        if (isRepeated) this.#repeated.add(name);
      }
    }
    this.patches = patches;
  }

  /** Returns the assigned value, or "several" if it depends on the executed code. */
  assigned(name: string): PythonValue | "several" | undefined {
    const all = this.#assigned.get(name) ?? [];
    const tried = all.filter(({ isFallback }) => !isFallback);
    const [first, ...others] = tried.length > 0 ? tried : all;
    if (first === undefined) return undefined;
    if (first.value === undefined || others.length > 0 || this.#repeated.has(name))
      return "several";
    const value = first.value();
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

  /** Additions to a list that a condition decides about: they are left out. */
  conditional(name: string): readonly PythonNode[] {
    return this.#conditional.get(name) ?? [];
  }

  /** `tasks.append(…)`. */
  #append(node: PythonNode, isRepeated: boolean): void {
    const call = node.firstChild === null ? undefined : readValue(this.source, node.firstChild);
    if (call?.kind !== "call" || !call.name.endsWith(".append")) return;
    const name = call.name.slice(0, -".append".length);
    if (isConditional(this.source, node)) {
      this.#conditional.set(name, [...(this.#conditional.get(name) ?? []), node]);
      return;
    }
    if (isRepeated) this.#repeated.add(name);
    this.#changes.set(name, [...(this.#changes.get(name) ?? []), node]);
    this.#appended.set(name, [...(this.#appended.get(name) ?? []), ...call.args]);
  }
}

/** The names of `a = …` and of `a, b = …`, with their values. */
function assignedNames(
  source: PythonSource,
  node: PythonNode,
): readonly Pick<Assigned & { readonly name: string }, "name" | "value">[] {
  const plain = assignmentOf(source, node);
  if (plain !== undefined) {
    const { name, value } = plain;
    return [{ name, value: value && (() => readValue(source, value)) }];
  }
  const parts = childrenOf(node);
  const sign = parts.findIndex(({ name }) => name === "AssignOp");
  const targets = parts.slice(0, sign).filter(({ name }) => name !== ",");
  const values = parts.slice(sign + 1).filter(({ name }) => name !== ",");
  const [value] = values;
  const isOne = values.length === 1;
  if (sign < 0 || value === undefined || targets.length < 2) return [];
  if (!isOne && values.length !== targets.length) return [];
  return targets.flatMap((target, index) => {
    const own = values[index];
    const name = source.textOf(target);
    if (!/^(self\.)?\w+$/.test(name)) return [];
    return {
      name,
      value: (): PythonValue =>
        isOne || own === undefined
          ? { source, node: value, kind: "member", of: readValue(source, value), index }
          : readValue(source, own),
    };
  });
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
