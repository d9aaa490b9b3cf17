// Statements of a body with those of its blocks, in order.
import { childrenOf, type PythonNode } from "./python-source.ts";

export type Statement = {
  readonly node: PythonNode;
  /** True if it runs as often as a loop, or is one of several branches. */
  readonly isRepeated: boolean;
};

/** Blocks whose statements run at most once. */
const ONCE = new Set(["IfStatement", "WithStatement", "TryStatement"]);
const LOOPS = new Set(["ForStatement", "WhileStatement"]);

/** The statements of a file, a function or a block, and those in its blocks. */
export function statementsOf(owner: PythonNode, isRepeated = false): readonly Statement[] {
  const body = owner.name === "Script" ? owner : (owner.getChild("Body") ?? owner);
  return childrenOf(body).flatMap((node): readonly Statement[] => {
    if (node.name === ":") return [];
    if (!ONCE.has(node.name) && !LOOPS.has(node.name)) return [{ node, isRepeated }];
    const repeats = isRepeated || LOOPS.has(node.name);
    return [
      { node, isRepeated },
      ...node.getChildren("Body").flatMap((block) => statementsOf(block, repeats)),
    ];
  });
}
