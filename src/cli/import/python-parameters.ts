import { childrenOf, type PythonNode, type PythonSource } from "./python-source.ts";

export type Parameter = {
  readonly name: string;
  readonly node: PythonNode;
  readonly type: PythonNode | undefined;
  readonly value: PythonNode | undefined;
};

/** The parameters of a function, without `*args` and `**kwargs`, which are no fields. */
export function parametersOf(source: PythonSource, node: PythonNode): readonly Parameter[] {
  const list = node.getChild("ParamList");
  if (list === null) return [];
  const parts = childrenOf(list);
  return parts.flatMap((part, index): Parameter[] => {
    const before = parts[index - 1]?.name ?? "";
    if (part.name !== "VariableName" || !["(", ","].includes(before)) return [];
    const next = parts[index + 1];
    const type = next?.name === "TypeDef" ? next : undefined;
    const at = type === undefined ? index + 1 : index + 2;
    const value = parts[at]?.name === "AssignOp" ? parts[at + 1] : undefined;
    return [{ name: source.textOf(part), node: part, type, value }];
  });
}
