// CEL expressions: parsed once, evaluated as often as needed, without eval and within bounds.
//
//   EP1. An expression sees only its roots; another name is refused when it is parsed.
//   EP2. It works on copies of the values it names, and only of these. Whole numbers are CEL's int, others its double;
//        both may be mixed, since JSON does not distinguish 2 from 2.0.
//   EP3. Its time is bounded: iterations and comparisons are counted, and so is the size of its intermediate values and
//        results (cel-meter.ts). Too much ends it with `limit_exceeded`. Patterns are those of RE2, in linear time.
//   EP4. The same values give the same result: there is no randomness and no access to the outside, and `now()` is the
//        time at which the flow began, the same in every method and in every replay.
import { Environment, type ASTNode, type ParseResult } from "@marcbachmann/cel-js";
import { EngineError, errorMessage } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { measured, metered, METER_FUNCTIONS, patternOf } from "./cel-meter.ts";
import { atTime, withFunctions } from "./cel-functions.ts";
import { fromCel, toCel } from "./cel-values.ts";

/** Names at the start of an expression. */
export type Roots = readonly string[];

/** The value of each root. */
export type RootValues = Readonly<Record<string, JsonValue>>;

/** Input of an evaluation. */
export type Facts = {
  readonly values: RootValues;
  /** Value of `now()`: the start of the flow, in milliseconds since the epoch. */
  readonly nowMs?: number | undefined;
};

export type Expression = {
  readonly text: string;
  /** Throws `invalid_input` for values of a wrong type, `limit_exceeded` for too much work. */
  readonly evaluate: (facts: Facts) => JsonValue;
  /** It calls `now()`. */
  readonly readsTime: boolean;
};

const MAX_LENGTH = 10_000;
const LIMITS = { maxAstNodes: 2_000, maxDepth: 64 };

/**
 * Parses an expression, with or without `${…}` around it. Throws `invalid_definition` with the expression, the fault
 * and its position.
 */
export function parseExpression(written: string, roots: Roots): Expression {
  const text = unwrapped(written);
  if (text.trim() === "") throw refused(text, "it is empty");
  if (text.length > MAX_LENGTH)
    throw refused(text, `it must not be longer than ${MAX_LENGTH} characters, got ${text.length}`);
  const { reading, running } = environments(roots);
  const ast = read(reading, text, roots);
  const needs = needsOf(ast, roots);
  let program: ParseResult | undefined;
  return {
    text,
    readsTime: [...walk(ast)].some((node) => node.op === "call" && node.args[0] === "now"),
    evaluate: ({ values, nowMs }) => {
      const ready = (program ??= running.parse(metered(ast)));
      return atTime(nowMs, () => evaluated(text, ready, contextOf(values, needs)));
    },
  };
}

/** Removes the `${…}` of CrewAI's files around a whole expression. */
function unwrapped(text: string): string {
  const inner = /^\s*\$\{(.*)\}\s*$/s.exec(text)?.[1];
  return inner === undefined || inner.trim() === "" ? text : inner;
}

function read(reading: Environment, text: string, roots: Roots): ASTNode {
  try {
    const parsed = reading.parse(text);
    if ([...walk(parsed.ast)].some(isExtension)) throw refused(text, unknownName("cel", roots));
    const { valid, error } = parsed.check();
    if (!valid && error !== undefined && !isOfTypes(error)) throw error;
    // The library requires one type where the language does not; the evaluated text is untyped.
    if (!valid) checkUntyped(parsed.ast, roots);
    for (const node of walk(parsed.ast)) checkPattern(node);
    return parsed.ast;
  } catch (error) {
    if (EngineError.is(error)) throw error;
    throw refused(text, faultOf(error, text, roots));
  }
}

/**
 * True for comparisons with null, and of times with durations, branches of two types, sums of lists of two types, and
 * lists of unknown type.
 */
function isOfTypes(error: Fault & Error): boolean {
  const { code } = error;
  if (code === "incompatible_ternary_branches") return true;
  const text = messageOf(error);
  return code === "no_such_overload"
    ? / [!=]= null\b|: null [!=]= |protobuf\.\w+ [!=]= google\.protobuf|: list<.+> (?:\+|[!=]=) list<|: map<.+> [!=]= map</.test(
        text,
      )
    : text.includes("overlaps with");
}

function checkUntyped(ast: ASTNode, roots: Roots): void {
  const { valid, error } = environments(roots).running.parse(metered(ast)).check();
  if (!valid && error !== undefined) throw new Error(messageOf(error), { cause: error });
}

/** `cel.bind` is an extension of the library's, not of the language. */
function isExtension({ op, args }: ASTNode): boolean {
  return op === "id" && args === "cel";
}

/** Checks a literal pattern before the expression runs. */
function checkPattern(node: ASTNode): void {
  if (node.op !== "rcall" || node.args[0] !== "matches") return;
  const [pattern] = node.args[2];
  if (pattern?.op === "value" && typeof pattern.args === "string") patternOf(pattern.args);
}

function evaluated(text: string, program: ParseResult, context: RootContext): JsonValue {
  const { value, exceeded, error } = measured((room) => fromCel(program(context), room));
  if (exceeded !== undefined)
    throw new EngineError(
      "limit_exceeded",
      `the expression ${quoted(text)} ${exceeded}: have a function do that`,
    );
  if (error !== undefined) throw failed(text, messageOf(error));
  return value ?? null;
}

type RootContext = Readonly<Record<string, unknown>>;
/** Requested fields of each root; undefined for the whole root. */
type Needs = ReadonlyMap<string, ReadonlySet<string> | undefined>;

function contextOf(values: RootValues, needs: Needs): RootContext {
  return Object.fromEntries(
    [...needs].map(([root, fields]) => {
      const value = values[root] ?? null;
      return [root, toCel(fields === undefined ? value : picked(value, fields))];
    }),
  );
}

function picked(value: JsonValue, fields: ReadonlySet<string>): JsonValue {
  if (!isJsonObject(value)) return value;
  const object: JsonObject = value;
  return Object.fromEntries(
    [...fields].flatMap((field): [string, JsonValue][] =>
      Object.hasOwn(object, field) ? [[field, object[field] ?? null]] : [],
    ),
  );
}

function needsOf(ast: ASTNode, roots: Roots): Needs {
  const needs = new Map<string, Set<string> | undefined>();
  const named = new Set<ASTNode>();
  for (const node of walk(ast)) {
    const owner = node.op === "." || node.op === "[]" ? node.args[0] : undefined;
    const root = owner === undefined ? undefined : rootOf(owner, roots);
    const field = fieldOf(node);
    if (owner !== undefined && root !== undefined && field !== undefined) {
      named.add(owner);
      if (!needs.has(root)) needs.set(root, new Set());
      needs.get(root)?.add(field);
      continue;
    }
    const whole = named.has(node) ? undefined : rootOf(node, roots);
    if (whole !== undefined) needs.set(whole, undefined);
  }
  return needs;
}

function rootOf(node: ASTNode, roots: Roots): string | undefined {
  return node.op === "id" && roots.includes(node.args) ? node.args : undefined;
}

function fieldOf(node: ASTNode): string | undefined {
  if (node.op === ".") return node.args[1];
  if (node.op !== "[]") return undefined;
  const [, key] = node.args;
  return key.op === "value" && typeof key.args === "string" ? key.args : undefined;
}

/** The node and all below it, outer ones first. */
function* walk(node: ASTNode): Generator<ASTNode> {
  yield node;
  for (const child of childrenOf(node)) yield* walk(child);
}

function childrenOf({ args }: ASTNode): readonly ASTNode[] {
  const found: ASTNode[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) look(each);
    else if (typeof value === "object" && value !== null && "op" in value)
      found.push(value as ASTNode);
  };
  look(args);
  return found;
}

type Environments = { readonly reading: Environment; readonly running: Environment };
const known = new Map<string, Environments>();

/**
 * Returns the environments for parsing written expressions and for running generated ones. Created once for each set of
 * roots.
 */
function environments(roots: Roots): Environments {
  const key = roots.join(" ");
  let made = known.get(key);
  if (made === undefined) {
    made = {
      reading: environment(roots, LIMITS),
      running: METER_FUNCTIONS.reduce(
        (running, [signature, run]) => running.registerFunction(signature, run),
        environment(roots, { maxAstNodes: 20_000, maxDepth: 1_000 }),
      ),
    };
    known.set(key, made);
  }
  return made;
}

function environment(roots: Roots, limits: typeof LIMITS): Environment {
  const made = new Environment({ homogeneousAggregateLiterals: false, limits });
  withFunctions(made);
  for (const root of roots) made.registerVariable(root, "dyn");
  for (const [sign, apply] of MIXED) {
    made.registerOperator(`int ${sign} double: double`, (a: bigint, b: number) =>
      apply(Number(a), b),
    );
    made.registerOperator(`double ${sign} int: double`, (a: number, b: bigint) =>
      apply(a, Number(b)),
    );
  }
  return made;
}

const MIXED: ReadonlyArray<readonly [string, (a: number, b: number) => number]> = [
  ["+", (a, b) => a + b],
  ["-", (a, b) => a - b],
  ["*", (a, b) => a * b],
  ["/", (a, b) => a / b],
];

type Fault = {
  readonly code?: string;
  readonly summary?: string;
  readonly range?: { readonly start: number; readonly end: number };
};

/** Describes the fault of an unreadable text and its position in characters. */
function faultOf(error: unknown, text: string, roots: Roots): string {
  const { code, range } = error as Fault;
  const at = range === undefined ? "" : `, at character ${Math.min(range.start, text.length) + 1}`;
  if (code === "unknown_variable" && range !== undefined)
    return unknownName(text.slice(range.start, range.end), roots) + at;
  return `${messageOf(error)}${at}`;
}

function unknownName(name: string, roots: Roots): string {
  return `unknown name ${preview(name)}, known here: ${roots.join(", ")}`;
}

/** A fault of the library in one line, beginning small as it follows a colon. */
function messageOf(error: unknown): string {
  const { code, summary } = error as Fault;
  // The library has no size of an empty list.
  const index =
    code === "index_out_of_bounds" ? /index (-?\d+)/.exec(summary ?? "")?.[1] : undefined;
  if (index !== undefined) return `the index ${index} is out of bounds`;
  const text = summary ?? errorMessage(error);
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function quoted(text: string): string {
  return preview(text.trim(), 200);
}

function refused(text: string, why: string): EngineError {
  return new EngineError(
    "invalid_definition",
    `the expression ${quoted(text)} cannot be used: ${why}`,
  );
}

function failed(text: string, why: string): EngineError {
  return new EngineError("invalid_input", `the expression ${quoted(text)} failed: ${why}`);
}
