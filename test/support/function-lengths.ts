// Lengths of functions, from their syntax.
import type { Node } from "oxc-parser";
import { isNode, lineOf, parseSource, readSource } from "./source-files.ts";

/** A function with its length in lines, signature and closing brace included. */
export type FunctionLength = {
  /** File and line of its beginning: `src/base/json.ts:12`. */
  readonly at: string;
  /** Its own name, else that of the property or variable that has it; empty for a callback. */
  readonly name: string;
  readonly lines: number;
};

/** Returns the functions of a file with more than `limit` lines, the longest first. */
export function functionsOver(
  limit: number,
  path: string,
  source: string = readSource(path),
): readonly FunctionLength[] {
  const found: FunctionLength[] = [];
  // A file with as few lines has no longer function, and is not parsed.
  if (source.split("\n").length <= limit) return found;
  search(parseSource(path, source), "");
  return found.toSorted((a, b) => b.lines - a.lines);

  function search(node: Node, name: string): void {
    if (isFunction(node)) {
      const lines = source.slice(node.start, node.end).split("\n").length;
      if (lines > limit) found.push({ at: `${path}:${lineOf(source, node)}`, name, lines });
    }
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value])
        if (isNode(child)) search(child, nameOfChild(child, node));
    }
  }
}

/** True for functions with a body; false for signatures. */
function isFunction({ type }: Node): boolean {
  return /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type);
}

/** Returns the name of a node: its own, else that of the variable or property with it as value. */
function nameOfChild(child: Node, parent: Node): string {
  const named = "id" in child && child.type !== "VariableDeclarator" ? child.id : undefined;
  const from = named ?? ("id" in parent ? parent.id : "key" in parent ? parent.key : undefined);
  return from && "name" in from && typeof from.name === "string" ? from.name : "";
}
