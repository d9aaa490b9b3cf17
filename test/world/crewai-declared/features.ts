// Features of expressions that the rows of accepted differences name, each found in the tree of an expression.
import { around, below, type Part, type Tree, type TypeName } from "./tree.ts";

const SUMS: ReadonlySet<string> = new Set(["+", "-", "*", "/", "%", "-_"]);
const ORDERS: ReadonlySet<string> = new Set(["<", "<=", ">", ">="]);
const EQUALITIES: ReadonlySet<string> = new Set(["==", "!=", "in"]);
const MACROS: ReadonlySet<string> = new Set(["map", "filter", "all", "exists", "exists_one"]);

/** Types whose texts Python writes in another way. */
const SHOWN_OTHERWISE: readonly TypeName[] = [
  "bool",
  "null",
  "double",
  "list",
  "map",
  "time",
  "span",
];

export function isShownOtherwise(tree: Tree, part: Part | undefined): boolean {
  return tree.is(part, ...SHOWN_OTHERWISE);
}

/** `string()` of a value that Python writes in another way. */
export function isTextOfOther(tree: Tree, { name, children: [of] }: Part): boolean {
  return name === "string" && isShownOtherwise(tree, of);
}

/** `int(string(x))` of a double. */
export function isWholeOfText(tree: Tree, { name, children: [text] }: Part): boolean {
  return name === "int" && text?.name === "string" && tree.is(text.children[0], "double");
}

/** An operator between an int and a double, or between lists and maps that hold these. */
export function isMixed(tree: Tree, { op, children }: Part): boolean {
  if (!SUMS.has(op) && !ORDERS.has(op) && !EQUALITIES.has(op)) return false;
  const kinds = new Set(children.flatMap((child) => numbersIn(tree, child)));
  return kinds.has("int") && kinds.has("double");
}

/** A sum of an int and a double whose result is not whole. */
export function isMixedSum(tree: Tree, part: Part): boolean {
  return (
    SUMS.has(part.op) &&
    isMixed(tree, part) &&
    tree.values(part).some((value) => typeof value === "number" && !Number.isInteger(value))
  );
}

function numbersIn(tree: Tree, part: Part): readonly TypeName[] {
  const own = tree.types(part);
  return own.includes("list") || own.includes("map")
    ? [part, ...below(part)].flatMap((each) => tree.types(each))
    : own;
}

/** `==`, `!=` or `in` between two types, or between lists and maps, which may hold two types. */
export function isEqualityOfTwoTypes(tree: Tree, { op, children: [left, right] }: Part): boolean {
  if (!EQUALITIES.has(op) || left === undefined || right === undefined) return false;
  if (op === "in" || tree.is(left, "list", "map")) return true;
  const [one, other] = [tree.types(left), tree.types(right)];
  return one.some((type) => other.some((each) => each !== type));
}

/** A sum or an order with a truth value in it. */
export function isSumOfFlags(tree: Tree, { op, children }: Part): boolean {
  return (SUMS.has(op) || ORDERS.has(op)) && children.some((child) => tree.is(child, "bool"));
}

export function isDivisionByZero(tree: Tree, { op, children: [, right] }: Part): boolean {
  return op === "/" && right !== undefined && tree.values(right).includes(0);
}

/** A method of a value that an operator, or a choice, made. */
export function isMethodOfMade(_: Tree, { op, children: [receiver] }: Part): boolean {
  return (
    op === "rcall" && receiver !== undefined && (SUMS.has(receiver.op) || receiver.op === "?:")
  );
}

/** `==` or `!=` of a value that an operator made with one of another type. */
export function isEqualityOfMade(tree: Tree, part: Part): boolean {
  return (
    part.op !== "in" &&
    isEqualityOfTwoTypes(tree, part) &&
    part.children.some(({ op }) => SUMS.has(op) || op === "?:")
  );
}

export function isNegatedSpan(tree: Tree, { op, children: [of] }: Part): boolean {
  return op === "-_" && tree.is(of, "span");
}

/** An index of a text, or one from the end of a list. */
export function isIndexOfPython(tree: Tree, { op, children: [from, index] }: Part): boolean {
  if (op !== "[]" || index === undefined) return false;
  return (
    tree.is(from, "string") ||
    tree.values(index).some((value) => typeof value === "number" && value < 0)
  );
}

export function hasNull(tree: Tree, { children }: Part): boolean {
  return children.some((child) => tree.is(child, "null"));
}

/** Stands in a list or a map that is compared, counted or made a text. */
export function isForgotten(_: Tree, part: Part): boolean {
  const outer = around(part);
  const holder = outer.findIndex(
    ({ op, name }) => op === "list" || op === "map" || MACROS.has(name),
  );
  return (
    holder !== -1 &&
    outer
      .slice(holder + 1)
      .some(({ op, name }) => EQUALITIES.has(op) || name === "size" || name === "string")
  );
}

/** `&&` or `||` of a value that is no truth value, or a macro that goes through a text. */
export function isLogicOfOthers(tree: Tree, { op, name, children }: Part): boolean {
  if (op === "&&" || op === "||") return children.some((child) => !tree.is(child, "bool"));
  return MACROS.has(name) && !tree.is(children[0], "list", "map");
}

/** `&&` with false on one side, or `||` with true. */
export function isDecided(tree: Tree, { op, children }: Part): boolean {
  if (op !== "&&" && op !== "||") return false;
  return children.some((child) => tree.values(child).includes(op === "||"));
}
