// Python source that is read and never run: the tree of a file, its lines, and the contents of its bodies.
import { parser } from "@lezer/python";
import type { SyntaxNode } from "@lezer/common";

export type PythonNode = SyntaxNode;

const MAX_DEPTH = 1000;

/** A file of Python, parsed. */
export class PythonSource {
  readonly path: string;
  readonly text: string;
  readonly root: PythonNode;
  readonly #lineStarts: readonly number[];

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
    this.root = parser.parse(text).topNode;
    const starts = [0];
    for (const { index, 0: end } of text.matchAll(/\r\n?|\n/g)) starts.push(index + end.length);
    this.#lineStarts = starts;
  }

  textOf({ from, to }: PythonNode): string {
    return this.text.slice(from, to);
  }

  /** From 1. */
  lineOf({ from }: PythonNode): number {
    let low = 0;
    let high = this.#lineStarts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#lineStarts[middle] ?? 0) <= from) low = middle;
      else high = middle;
    }
    return low + 1;
  }

  /** True if it is nested deeper than any hand-written code. */
  isTooDeep(): boolean {
    let depth = 0;
    let deepest = 0;
    this.root.cursor().iterate(
      () => {
        depth += 1;
        deepest = Math.max(deepest, depth);
      },
      () => {
        depth -= 1;
      },
    );
    return deepest > MAX_DEPTH;
  }

  /** Returns the first syntax errors. */
  syntaxErrors(below: PythonNode = this.root): readonly PythonNode[] {
    const found: PythonNode[] = [];
    below.cursor().iterate((node) => {
      if (node.type.isError) found.push(node.node);
      return found.length < 3;
    });
    return found;
  }
}

export function childrenOf(node: PythonNode): readonly PythonNode[] {
  const children: PythonNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (child.name !== "Comment") children.push(child);
  return children;
}

/** A class or a function with its decorators. */
export type Definition = {
  readonly kind: "class" | "function";
  readonly name: string;
  readonly node: PythonNode;
  readonly decorators: readonly Decorator[];
};

/** `@router(or_("a", "b"))`: its name, and its list of arguments. */
export type Decorator = {
  readonly name: string;
  readonly node: PythonNode;
  readonly args: PythonNode | undefined;
};

/** `name: Type = value`, or `self.name = value`. */
export type Assignment = {
  readonly name: string;
  readonly node: PythonNode;
  readonly type: PythonNode | undefined;
  readonly value: PythonNode | undefined;
};

/** Direct contents of a class or a file, in order. */
export type Body = {
  readonly definitions: readonly Definition[];
  readonly assignments: readonly Assignment[];
  /** The text in triple quotes at its beginning. */
  readonly docstring: PythonNode | undefined;
  /** Other statements: conditions, loops, calls. */
  readonly others: readonly PythonNode[];
};

/** Reads the contents of a file, or of a class's or function's body. */
export function bodyOf(source: PythonSource, owner: PythonNode): Body {
  const body = owner.name === "Script" ? owner : (owner.getChild("Body") ?? owner);
  const statements = childrenOf(body).filter(({ name }) => name !== ":");
  const definitions: Definition[] = [];
  const assignments: Assignment[] = [];
  const others: PythonNode[] = [];
  let docstring: PythonNode | undefined;
  for (const [index, node] of statements.entries()) {
    const definition = definitionOf(source, node);
    const only = node.name === "ExpressionStatement" ? node.firstChild : null;
    if (definition !== undefined) definitions.push(definition);
    else if (node.name === "AssignStatement") {
      const found = assignmentOf(source, node);
      if (found === undefined) others.push(node);
      else assignments.push(found);
    } else if (index === 0 && only !== null && isText(only)) docstring = only;
    else if (node.name !== "PassStatement" && !(only !== null && isText(only))) others.push(node);
  }
  return { definitions, assignments, docstring, others };
}

function isText({ name }: PythonNode): boolean {
  return name === "String" || name === "ContinuedString";
}

export function definitionOf(source: PythonSource, node: PythonNode): Definition | undefined {
  const inner =
    node.name === "DecoratedStatement"
      ? (node.getChild("ClassDefinition") ?? node.getChild("FunctionDefinition"))
      : node;
  if (inner?.name !== "ClassDefinition" && inner?.name !== "FunctionDefinition") return undefined;
  const name = inner.getChild("VariableName");
  if (name === null) return undefined;
  return {
    kind: inner.name === "ClassDefinition" ? "class" : "function",
    name: source.textOf(name),
    node: inner,
    decorators: node.getChildren("Decorator").map((each) => decoratorOf(source, each)),
  };
}

/** `@crewai.project.agent` is `agent`. */
function decoratorOf(source: PythonSource, node: PythonNode): Decorator {
  const args = node.getChild("ArgList") ?? undefined;
  const text = source.text.slice(node.from + 1, args?.from ?? node.to);
  return { name: text.trim().split(".").at(-1) ?? "", node, args };
}

/**
 * Undefined for `a, b = …` and `x[0] = …`, as the import never needs their values. The name of `self.x = …` is
 * `self.x`.
 */
export function assignmentOf(source: PythonSource, node: PythonNode): Assignment | undefined {
  const [target, ...rest] = childrenOf(node);
  if (target === undefined) return undefined;
  const name = source.textOf(target);
  if (!/^(self\.)?\w+$/.test(name)) return undefined;
  const type = node.getChild("TypeDef") ?? undefined;
  const values = rest.filter((each) => each.name !== "TypeDef" && each.name !== "AssignOp");
  return values.length > 1 ? undefined : { name, node, type, value: values[0] };
}
