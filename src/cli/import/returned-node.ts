// The `return` of a body of Python, if its conditions are known.
import { childrenOf, type PythonNode, type PythonSource } from "./python-source.ts";
import type { PythonValue } from "./python-value.ts";
import { readValue } from "./python-values.ts";

/** Truth of a condition. Undefined if it depends on the executed code. */
export type TruthOf = (test: PythonNode) => boolean | undefined;

/** Returns the `return` statement of a body, or "unknown" if conditions choose one of several. */
export function returnedNode(
  owner: PythonNode,
  truthOf: TruthOf,
): PythonNode | "unknown" | undefined {
  const found = ofBody(owner, truthOf);
  if (found !== "unknown") return found;
  const [only, ...others] = returnsIn(owner);
  return only === undefined || others.length > 0 ? "unknown" : only;
}

/** Returns all `return` statements of a body, in order. */
export function returnsIn(owner: PythonNode): readonly PythonNode[] {
  return childrenOf(owner).flatMap((node): readonly PythonNode[] => {
    if (node.name === "FunctionDefinition" || node.name === "ClassDefinition") return [];
    return node.name === "ReturnStatement" ? [node] : returnsIn(node);
  });
}

/** Reads the value of a `return` statement; several are a list. Undefined without a value. */
export function returnedValue(source: PythonSource, node: PythonNode): PythonValue | undefined {
  const values = childrenOf(node).filter(({ name }) => name !== "return" && name !== ",");
  const [value, ...others] = values.map((each) => readValue(source, each));
  if (value === undefined || others.length === 0) return value;
  return { source, node, kind: "list", items: [value, ...others] };
}

function ofBody(owner: PythonNode, truthOf: TruthOf): PythonNode | "unknown" | undefined {
  for (const node of childrenOf(owner.getChild("Body") ?? owner)) {
    const found = ofStatement(node, truthOf);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ofStatement(node: PythonNode, truthOf: TruthOf): PythonNode | "unknown" | undefined {
  switch (node.name) {
    case "ReturnStatement":
      return node;
    case "WithStatement":
    case "TryStatement":
      return ofBody(node, truthOf);
    case "IfStatement":
      return ofCondition(node, truthOf);
    case "ForStatement":
    case "WhileStatement":
      return returnsIn(node).length > 0 ? "unknown" : undefined;
    default:
      return undefined;
  }
}

function ofCondition(node: PythonNode, truthOf: TruthOf): PythonNode | "unknown" | undefined {
  let truth: boolean | undefined = true;
  for (const part of childrenOf(node)) {
    if (part.name === "if" || part.name === "elif") continue;
    if (part.name === "else") truth = true;
    else if (part.name !== "Body") truth = truthOf(part);
    else if (truth === true) return ofBody(part, truthOf);
    else if (truth === undefined && returnsIn(node).length > 0) return "unknown";
  }
  return undefined;
}
