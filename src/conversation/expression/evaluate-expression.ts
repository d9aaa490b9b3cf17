// Evaluation of context expressions over the variables of a conversation.
import { EngineError, unreachable } from "../../base/error.ts";
import { preview, typeName, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Comparison, Expression, ExpressionNode } from "./expression.ts";
import { ORDERINGS } from "../../base/ordering.ts";

/** Treatment of a missing variable: the evaluation fails, or the variable counts as `False`. */
export type MissingVariable = "error" | "false";

/**
 * Evaluates an expression. The result is a boolean. With compat "ag2-0.14" it is the raw value, which callers test for
 * truth. Throws `invalid_input` for a missing variable, and for values without an order.
 */
export function evaluateExpression(
  expression: Expression,
  variables: JsonObject,
  missing: MissingVariable = "error",
): JsonValue {
  const absent = expression.variables.find((name) => !Object.hasOwn(variables, name));
  if (absent !== undefined && missing === "error")
    throw failure(
      expression.source,
      `needs the context variable "${absent}", which is not set; there are: ${Object.keys(variables).join(", ") || "none"}`,
    );
  const value = valueOf(expression.tree, { source: expression.source, variables });
  return expression.compat === undefined ? isTruthy(value) : value;
}

/** True if Python treats the value as true. */
export function isTruthy(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== null && value !== false && value !== 0 && value !== "";
}

type Scalar = string | number | boolean | null;
type Reading = { readonly source: string; readonly variables: JsonObject };

function valueOf(node: ExpressionNode, reading: Reading): Scalar {
  switch (node.kind) {
    case "literal":
      return node.value;
    case "variable":
      return scalarOf(readVariable(node.name, reading));
    case "bareName":
      throw failure(
        reading.source,
        `has a name at column ${node.column} that has no value: write \${${node.name}}`,
      );
    case "length":
      return lengthOf(node.operand, reading);
    case "negative":
      return negative(valueOf(node.operand, reading), reading.source);
    case "not":
      return !isTruthy(valueOf(node.operand, reading));
    case "and":
      return firstWhere(node.operands, reading, false);
    case "or":
      return firstWhere(node.operands, reading, true);
    case "comparison":
      return comparisonOf(node, reading);
    default:
      return unreachable(node);
  }
}

/** Returns the first operand with this truth, or else the last one. */
function firstWhere(operands: readonly ExpressionNode[], reading: Reading, truth: boolean): Scalar {
  let value: Scalar = null;
  for (const operand of operands) {
    value = valueOf(operand, reading);
    if (isTruthy(value) === truth) return value;
  }
  return value;
}

function comparisonOf(
  { first, rest }: Extract<ExpressionNode, { kind: "comparison" }>,
  reading: Reading,
): boolean {
  let left = valueOf(first, reading);
  for (const { operator, operand } of rest) {
    const right = valueOf(operand, reading);
    if (!compare(left, operator, { right, source: reading.source })) return false;
    left = right;
  }
  return true;
}

function compare(
  left: Scalar,
  operator: Comparison,
  { right, source }: { right: Scalar; source: string },
): boolean {
  const [a, b] = [numeric(left), numeric(right)];
  if (operator === "==") return a === b;
  if (operator === "!=") return a !== b;
  if (a === null || b === null || typeof a !== typeof b)
    throw failure(
      source,
      `cannot order ${typeName(left)} ${preview(left)} ${operator} ${typeName(right)} ${preview(right)}`,
    );
  return ORDERINGS[operator](a, b);
}

/** Booleans count as 1 and 0. */
function numeric(value: Scalar): string | number | null {
  return typeof value === "boolean" ? Number(value) : value;
}

function negative(value: Scalar, source: string): number {
  const number = numeric(value);
  if (typeof number !== "number")
    throw failure(source, `cannot negate ${typeName(value)} ${preview(value)}`);
  return number === 0 ? 0 : -number;
}

/** Returns a value's length; 0 for values without a length. */
function lengthOf(operand: ExpressionNode, reading: Reading): number {
  const value =
    operand.kind === "variable" ? readVariable(operand.name, reading) : valueOf(operand, reading);
  if (typeof value === "string") return characters(value);
  if (Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

/** Counts characters as Python does: one beyond the basic plane counts once. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function readVariable(name: string, { variables }: Reading): JsonValue {
  return Object.hasOwn(variables, name) ? (variables[name] ?? null) : false;
}

/** A list or object outside len() counts as its truth. */
function scalarOf(value: JsonValue): Scalar {
  return typeof value === "object" && value !== null ? isTruthy(value) : value;
}

function failure(source: string, what: string): EngineError {
  return new EngineError("invalid_input", `the expression ${preview(source)} ${what}`);
}
