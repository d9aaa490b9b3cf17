// An expression in its parts, each with what it gives on this side: the rules of accepted differences look at these.
import { Environment, type ASTNode } from "@marcbachmann/cel-js";
import { errorMessage } from "../../../src/base/error.ts";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { parseExpression } from "../../../src/declarative/expression.ts";

/** Types of CEL by the names that `type()` has for them. */
const TYPES = {
  int: "int",
  double: "double",
  string: "string",
  bool: "bool",
  null: "null_type",
  list: "list",
  map: "map",
  time: "google.protobuf.Timestamp",
  span: "google.protobuf.Duration",
} as const;
export type TypeName = keyof typeof TYPES;

/** A name that a macro, or a list that a flow goes through, gives to each item. */
type Binding = { readonly name: string; readonly range: string };

export type Part = {
  readonly op: string;
  /** Name of a function, a method or a macro; empty for operators. */
  readonly name: string;
  readonly text: string;
  readonly children: readonly Part[];
  readonly parent: Part | undefined;
  readonly bindings: readonly Binding[];
};

const MACROS: ReadonlySet<string> = new Set(["map", "filter", "all", "exists", "exists_one"]);
const reader = new Environment({ homogeneousAggregateLiterals: false });

export class Tree {
  readonly root: Part | undefined;
  readonly #values: JsonObject;

  constructor(text: string, values: JsonObject, bindings: readonly Binding[] = []) {
    this.#values = values;
    try {
      this.root = partOf(reader.parse(text).ast, { source: text, parent: undefined, bindings });
    } catch {
      this.root = undefined; // no CEL
    }
  }

  /** Every part, outer ones first. */
  get parts(): readonly Part[] {
    return this.root === undefined ? [] : [this.root, ...below(this.root)];
  }

  /** Words of the failure of a part; undefined for one that gives a value. */
  failure(part: Part): string | undefined {
    const got = this.#evaluate(part, `[${part.text}] != []`);
    return "failure" in got ? got.failure : undefined;
  }

  /** The innermost parts that fail. */
  get failing(): readonly Part[] {
    return this.parts.filter(
      (part) =>
        this.failure(part) !== undefined &&
        part.children.every((child) => this.failure(child) === undefined),
    );
  }

  /** Types that a part has, one for each item that its macros go through; none for a part that fails. */
  types(part: Part): readonly TypeName[] {
    const names = Object.keys(TYPES) as TypeName[];
    return names.filter((name) => {
      const got = this.#evaluate(part, `type(dyn(${part.text})) == ${TYPES[name]}`);
      return "value" in got && flat(got.value).includes(true);
    });
  }

  is(part: Part | undefined, ...types: readonly TypeName[]): boolean {
    return part !== undefined && this.types(part).some((type) => types.includes(type));
  }

  /** Values of a part, one for each item that its macros go through. */
  values(part: Part): readonly JsonValue[] {
    const got = this.#evaluate(part, part.text);
    if ("failure" in got) return [];
    return part.bindings.length === 0 ? [got.value] : (got.value as readonly JsonValue[]);
  }

  /** False for a part that no evaluation comes to: the other branch, a decided `&&` or `||`, a macro over nothing. */
  isReached(part: Part): boolean {
    const { parent } = part;
    if (parent === undefined) return true;
    const [first, second] = parent.children;
    if (first !== undefined && first !== part) {
      if (parent.op === "?:" && !this.values(first).includes(part === second)) return false;
      if (parent.op === "&&" && !this.values(first).includes(true)) return false;
      if (parent.op === "||" && !this.values(first).includes(false)) return false;
      if (MACROS.has(parent.name) && this.values(first).every(isEmpty)) return false;
    }
    return this.isReached(parent);
  }

  #evaluate(part: Part, text: string): { value: JsonValue } | { failure: string } {
    const whole = part.bindings.reduceRight(
      (inner, { name, range }) => `(${range}).map(${name}, ${inner})`,
      text,
    );
    try {
      const roots = Object.keys(this.#values);
      return {
        value: parseExpression(whole, roots).evaluate({ values: this.#values, nowMs: 0 }),
      };
    } catch (error) {
      return { failure: errorMessage(error) };
    }
  }
}

/** All parts below one. */
export function below(part: Part): readonly Part[] {
  return part.children.flatMap((child) => [child, ...below(child)]);
}

/** Expressions around a part, the innermost first. */
export function around({ parent }: Part): readonly Part[] {
  return parent === undefined ? [] : [parent, ...around(parent)];
}

type Where = {
  readonly source: string;
  readonly parent: Part | undefined;
  readonly bindings: readonly Binding[];
};

function partOf(node: ASTNode, { source, parent, bindings }: Where): Part {
  const name = node.op === "call" || node.op === "rcall" ? node.args[0] : "";
  const children: Part[] = [];
  const part: Part = { op: node.op, name, text: textOf(node, source), children, parent, bindings };
  const own = childrenOf(node);
  const [range, variable] = own;
  if (node.op === "rcall" && MACROS.has(name) && range !== undefined && variable?.op === "id") {
    const from = partOf(range, { source, parent: part, bindings });
    const bound = [...bindings, { name: variable.args, range: from.text }];
    children.push(from);
    for (const body of own.slice(2))
      children.push(partOf(body, { source, parent: part, bindings: bound }));
  } else for (const child of own) children.push(partOf(child, { source, parent: part, bindings }));
  return part;
}

/** The text of a node; its range leaves out parentheses at its ends. */
function textOf({ range }: ASTNode, source: string): string {
  let { start, end } = range;
  let depth = 0;
  for (const [token] of source.slice(start, end).matchAll(TOKENS)) {
    if (token === "(") depth++;
    else if (token === ")" && depth-- <= 0) {
      depth = 0;
      start = source.lastIndexOf("(", start - 1);
    }
  }
  for (; depth > 0; depth--) end = source.indexOf(")", end) + 1;
  return source.slice(start, end);
}

/** Texts as a whole, so that parentheses in them do not count, and all other characters. */
const TOKENS = /"""[^]*?"""|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^]/g;

function childrenOf({ args }: ASTNode): readonly ASTNode[] {
  const found: ASTNode[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) look(each);
    else if (typeof value === "object" && value !== null && "op" in value)
      found.push(value as ASTNode);
  };
  look(args);
  return found;
}

function flat(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).flatMap(flat) : [value];
}

function isEmpty(value: JsonValue): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
