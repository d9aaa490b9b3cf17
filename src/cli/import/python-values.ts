// Reads values in a source.
//
//   PYV1. Readable values are literals, f-strings, lists, dicts, names, dotted names, entries of them, `a or b`,
//         `a if x else b`, and calls with such values as arguments. All others (comprehensions, comparisons) are
//         "unread", with their place.
import type { JsonValue } from "../../base/json.ts";
import { childrenOf, type PythonNode, type PythonSource } from "./python-source.ts";
import type { Keyword, Placed, PythonCall, PythonValue } from "./python-value.ts";
import { formatParts, textValue } from "./python-texts.ts";

export function readValue(source: PythonSource, node: PythonNode): PythonValue {
  const at = { source, node };
  switch (node.name) {
    case "String":
    case "FormatString":
    case "ContinuedString":
      return textOrFormat(source, node);
    case "Number": {
      const value = numberOf(source.textOf(node));
      return value === undefined ? { ...at, kind: "unread" } : { ...at, kind: "plain", value };
    }
    case "UnaryExpression": {
      const [sign, of] = childrenOf(node);
      const value = of === undefined ? undefined : readValue(source, of);
      if (sign?.name === "not" && value !== undefined) return { ...at, kind: "not", of: value };
      if (sign !== undefined && source.textOf(sign) === "-" && value?.kind === "plain")
        if (typeof value.value === "number") return { ...at, kind: "plain", value: -value.value };
      return { ...at, kind: "unread" };
    }
    case "Boolean":
      return { ...at, kind: "plain", value: source.textOf(node) === "True" };
    case "None":
      return { ...at, kind: "plain", value: null };
    case "ParenthesizedExpression": {
      const inner = childrenOf(node)[1];
      return inner === undefined ? { ...at, kind: "unread" } : readValue(source, inner);
    }
    case "ArrayExpression":
    case "TupleExpression":
    case "SetExpression": {
      const parts = childrenOf(node).filter(({ name }) => !PUNCTUATION.has(name));
      const items = parts.flatMap((item, index): PythonValue[] => {
        if (item.name === "*") return [];
        const value = readValue(source, item);
        const isSpread = parts[index - 1]?.name === "*";
        return [isSpread ? { source, node: item, kind: "items", of: value } : value];
      });
      return { ...at, kind: "list", items };
    }
    case "BinaryExpression":
      return childrenOf(node)[1]?.name === "or" ? eitherOf(source, node) : sumOf(source, node);
    case "ConditionalExpression": {
      const [yes, , test, , no] = childrenOf(node).map((each) => readValue(source, each));
      return yes === undefined || test === undefined || no === undefined
        ? { ...at, kind: "unread" }
        : { ...at, kind: "choice", test, sides: [yes, no] };
    }
    case "DictionaryExpression":
      return dictOf(source, node);
    case "VariableName":
      return { ...at, kind: "name", name: source.textOf(node) };
    case "MemberExpression":
      return memberOf(source, node);
    case "CallExpression":
      return callOf(source, node);
    default:
      return { ...at, kind: "unread" };
  }
}

function eitherOf(source: PythonSource, node: PythonNode): PythonValue {
  const [left, , right] = childrenOf(node);
  return left === undefined || right === undefined
    ? { source, node, kind: "unread" }
    : { source, node, kind: "either", sides: [readValue(source, left), readValue(source, right)] };
}

/** `"a" + "b"`, and concatenated lists. */
function sumOf(source: PythonSource, node: PythonNode): PythonValue {
  const at = { source, node };
  const [left, sign, right] = childrenOf(node);
  if (
    left === undefined ||
    right === undefined ||
    sign === undefined ||
    source.textOf(sign) !== "+"
  )
    return { ...at, kind: "unread" };
  const sides = [left, right].map((each) => readValue(source, each));
  const isText = (each: PythonValue): boolean =>
    each.kind === "format" || (each.kind === "plain" && typeof each.value === "string");
  if (sides.some(isText)) return formatOf(at, sides);
  if (!sides.some(({ kind }) => kind === "list")) return { ...at, kind: "unread" };
  const items = sides.flatMap((each): readonly PythonValue[] =>
    each.kind === "list"
      ? each.items
      : [{ source: each.source, node: each.node, kind: "items", of: each }],
  );
  return { ...at, kind: "list", items };
}

/** One text of several, if all are literals. */
function formatOf(at: Placed, values: readonly (string | PythonValue)[]): PythonValue {
  const parts = values.flatMap((each): readonly (string | PythonValue)[] => {
    if (typeof each === "string") return [each];
    if (each.kind === "format") return each.parts;
    return [each.kind === "plain" && typeof each.value === "string" ? each.value : each];
  });
  return parts.every((each) => typeof each === "string")
    ? { ...at, kind: "plain", value: parts.join("") }
    : { ...at, kind: "format", parts };
}

function textOrFormat(source: PythonSource, node: PythonNode): PythonValue {
  const at = { source, node };
  if (node.name === "ContinuedString")
    return formatOf(
      at,
      childrenOf(node).map((each) => textOrFormat(source, each)),
    );
  if (node.name === "FormatString") {
    const parts = formatParts(source, node).map((each) =>
      typeof each === "string" ? each : readValue(source, each),
    );
    return formatOf(at, parts);
  }
  const text = textValue(source, node);
  return text === undefined ? { ...at, kind: "unread" } : { ...at, kind: "plain", value: text };
}

const PUNCTUATION = new Set(["(", ")", "[", "]", "{", "}", ","]);

function dictOf(source: PythonSource, node: PythonNode): PythonValue {
  const parts = childrenOf(node).filter(({ name }) => !PUNCTUATION.has(name) && name !== ":");
  const entries: (readonly [string, PythonValue])[] = [];
  if (parts.some(({ name }) => name === "**")) return { source, node, kind: "unread" };
  for (const [index, part] of parts.entries()) {
    const next = parts.at(index + 1);
    if (index % 2 === 1 || next === undefined) continue;
    const key = readValue(source, part);
    if (key.kind !== "plain") return { source, node, kind: "unread" };
    entries.push([keyText(key.value), readValue(source, next)]);
  }
  return { source, node, kind: "dict", entries };
}

function keyText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function memberOf(source: PythonSource, node: PythonNode): PythonValue {
  const [object, sign, part] = childrenOf(node);
  const at = { source, node };
  if (object === undefined || sign === undefined || part === undefined)
    return { ...at, kind: "unread" };
  const of = readValue(source, object);
  if (of.kind === "entry" && of.field === undefined && sign.name === "[") {
    const field = readValue(source, part);
    return field.kind === "plain"
      ? { ...at, kind: "entry", of: of.of, key: of.key, field: keyText(field.value) }
      : { ...at, kind: "unread" };
  }
  if (of.kind !== "name") return { ...at, kind: "unread" };
  if (part.name === "PropertyName")
    return { ...at, kind: "name", name: `${of.name}.${source.textOf(part)}` };
  const key = sign.name === "[" ? readValue(source, part) : undefined;
  return key?.kind === "plain"
    ? { ...at, kind: "entry", of: of.name, key: keyText(key.value) }
    : { ...at, kind: "unread" };
}

function callOf(source: PythonSource, node: PythonNode): PythonValue {
  const [callee, list] = childrenOf(node);
  if (callee === undefined || list?.name !== "ArgList") return { source, node, kind: "unread" };
  const name = readValue(source, callee);
  if (name.kind === "name")
    return { source, node, kind: "call", name: name.name, ...readArguments(source, list) };
  const [object, , method] = callee.name === "MemberExpression" ? childrenOf(callee) : [];
  if (object === undefined || method?.name !== "PropertyName")
    return { source, node, kind: "unread" };
  return {
    source,
    node,
    kind: "method",
    of: readValue(source, object),
    name: source.textOf(method),
    ...readArguments(source, list),
  };
}

/** The arguments in a list of them. */
export function readArguments(
  source: PythonSource,
  list: PythonNode,
): Pick<PythonCall, "args" | "keywords"> {
  const args: PythonValue[] = [];
  const keywords: Keyword[] = [];
  const parts = childrenOf(list).filter(({ name }) => !PUNCTUATION.has(name));
  let next = 0;
  for (const [index, part] of parts.entries()) {
    if (index < next) continue;
    const [sign, value] = parts.slice(index + 1, index + 3);
    next = index + 1;
    if (part.name === "*" || part.name === "**") {
      if (sign !== undefined) keywords.push({ name: part.name, value: readValue(source, sign) });
      next = index + 2;
    } else if (sign?.name === "AssignOp" && value !== undefined) {
      keywords.push({ name: source.textOf(part), value: readValue(source, value) });
      next = index + 3;
    } else if (part.name === "for") {
      return { args: [{ source, node: list, kind: "unread" }], keywords: [] };
    } else args.push(readValue(source, part));
  }
  return { args, keywords };
}

function numberOf(text: string): number | undefined {
  const value = Number(text.replaceAll("_", ""));
  return Number.isFinite(value) ? value : undefined;
}
