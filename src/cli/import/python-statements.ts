// Statements of a body with those of its blocks, in order.
import { childrenOf, type PythonNode } from "./python-source.ts";

export type Statement = {
  readonly node: PythonNode;
  /** True if it runs as often as a loop, or is one of several branches. */
  readonly isRepeated: boolean;
  /** True in an `except` block. */
  readonly isFallback: boolean;
};

/** Blocks whose statements run at most once. */
const ONCE = new Set(["IfStatement", "WithStatement", "TryStatement"]);
const LOOPS = new Set(["ForStatement", "WhileStatement"]);

/** Returns the statements of a file, a function or a block, and those in its blocks. */
export function statementsOf(
  owner: PythonNode,
  { isRepeated = false, isFallback = false } = {},
): readonly Statement[] {
  const body = owner.name === "Script" ? owner : (owner.getChild("Body") ?? owner);
  return childrenOf(body).flatMap((node): readonly Statement[] => {
    if (node.name === ":") return [];
    const statement = { node, isRepeated, isFallback };
    if (!ONCE.has(node.name) && !LOOPS.has(node.name)) return [statement];
    const repeats = isRepeated || LOOPS.has(node.name);
    let isExcept = isFallback;
    const inside = childrenOf(node).flatMap((part): readonly Statement[] => {
      if (part.name === "except") isExcept = true;
      if (part.name === "else" || part.name === "finally") isExcept = isFallback;
      if (part.name !== "Body") return [];
      return statementsOf(part, { isRepeated: repeats, isFallback: isExcept });
    });
    return [statement, ...inside];
  });
}
