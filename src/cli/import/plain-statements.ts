// Statements of a method with a known effect.
import { childrenOf, type PythonNode, type PythonSource } from "./python-source.ts";

const REPORTS =
  /^(print|(\w+\.)*(log|logger|logging)\.\w+|load_dotenv|time\.sleep|warnings\.\w+)\(/;

/** True for a statement that reports something, and for a condition that only reports or raises. */
export function isCheck(source: PythonSource, node: PythonNode): boolean {
  if (node.name === "RaiseStatement" || node.name === "AssertStatement") return true;
  if (node.name === "ExpressionStatement") return REPORTS.test(source.textOf(node));
  if (node.name !== "IfStatement") return false;
  return node
    .getChildren("Body")
    .flatMap(childrenOf)
    .every((each) => each.name === ":" || each.name === "PassStatement" || isCheck(source, each));
}

/** Returns the list of `tools.append(…)`. Undefined for another statement. */
export function appendedList(source: PythonSource, node: PythonNode): string | undefined {
  if (node.name !== "ExpressionStatement") return undefined;
  return /^(\w+)\.append\(/.exec(source.textOf(node))?.[1];
}
