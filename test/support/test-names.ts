import type { Node } from "oxc-parser";
import { lineOf, parseSource, readSource, walk } from "./source-files.ts";

/** Functions whose first argument is a test's name. */
const TEST_CALLS = new Set(["describe", "it", "test", "scenario"]);

/** Names of `describe`, `it`, `test` and `scenario` calls as they are written, with their 1-based lines. */
export function testNamesOf(
  path: string,
  source: string = readSource(path),
): ReadonlyArray<{ readonly value: string; readonly line: number }> {
  const found: Array<{ value: string; line: number }> = [];
  walk(parseSource(path, source), (node) => {
    if (node.type !== "CallExpression" || !TEST_CALLS.has(calledName(node.callee))) return;
    const [name] = node.arguments;
    if (
      name?.type === "TemplateLiteral" ||
      (name?.type === "Literal" && typeof name.value === "string")
    )
      found.push({ value: source.slice(name.start + 1, name.end - 1), line: lineOf(source, name) });
  });
  return found;
}

/** `it` of `it`, `it.each` and `it.each([…])`. */
function calledName(callee: Node): string {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type === "MemberExpression") return calledName(callee.object);
  return callee.type === "CallExpression" ? calledName(callee.callee) : "";
}
