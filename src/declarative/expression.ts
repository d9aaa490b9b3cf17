// CEL expressions: read once, evaluated as often as needed, without eval and within bounds.
//
//   EP1. An expression sees its roots and nothing else; another name is refused when it is read.
//   EP2. It works on copies of what it names, and of that alone. Whole numbers are CEL's int, others its double; both may be
//        mixed, since JSON does not distinguish 2 from 2.0.
//   EP3. It comes to an end soon: what it goes through, concatenates and compares is counted, and too much ends it with
//        `limit_exceeded`. Patterns are those of RE2, in linear time.
//   - The same values give the same result: there is no clock, no chance, nothing of the outside.
import { RE2JS } from "@bufbuild/re2";
import { Environment, type ASTNode, type ParseResult } from "@marcbachmann/cel-js";
import { EngineError, errorMessage } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { fromCel, toCel } from "./cel-values.ts";

/** Names that an expression can begin with. */
export type Roots = readonly string[];

/** The value of each root. */
export type RootValues = Readonly<Record<string, JsonValue>>;

export type Expression = {
  readonly text: string;
  /** Throws `invalid_input` for what the values do not allow, `limit_exceeded` for too much work. */
  readonly evaluate: (values: RootValues) => JsonValue;
};

const MAX_LENGTH = 10_000;
const LIMITS = { maxAstNodes: 2_000, maxDepth: 64 };

/** Items gone through, compared or concatenated in one evaluation; 64 characters of text count as an item. */
const MAX_WORK = 2_000_000;

/** How the macros that go through a list are called. */
const LOOPS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "map", "filter"]);

/** Functions of ours in the text that is evaluated; in a text that people write they are unknown. */
const METERED = "_metered";
const WEIGHED = "_weighed";
const MATCHES = "_matches";

/** What is left of one evaluation's work. Evaluations do not interleave: none of them waits for anything. */
let workLeft = 0;

/** Reads an expression. Throws `invalid_definition` that quotes it and says what is wrong, and where in it. */
export function parseExpression(text: string, roots: Roots): Expression {
  if (text.trim() === "") throw refused(text, "it is empty");
  if (text.length > MAX_LENGTH)
    throw refused(text, `it must not be longer than ${MAX_LENGTH} characters, got ${text.length}`);
  const { reading, running } = environments(roots);
  const ast = read(reading, text, roots);
  const needs = needsOf(ast, roots);
  let program: ParseResult | undefined;
  return {
    text,
    evaluate: (values) => {
      program ??= running.parse(metered(ast));
      return evaluated(text, program, contextOf(values, needs));
    },
  };
}

function read(reading: Environment, text: string, roots: Roots): ASTNode {
  try {
    const parsed = reading.parse(text);
    if ([...walk(parsed.ast)].some(isExtension)) throw refused(text, unknownName("cel", roots));
    const { valid, error } = parsed.check();
    if (!valid && error !== undefined) throw error;
    for (const node of walk(parsed.ast)) checkPattern(node);
    return parsed.ast;
  } catch (error) {
    if (EngineError.is(error)) throw error;
    throw refused(text, faultOf(error, text, roots));
  }
}

/** `cel.bind` is an extension of the library's, not of the language. */
function isExtension({ op, args }: ASTNode): boolean {
  return op === "id" && args === "cel";
}

/** A pattern that stands in the expression is tried before anything runs. */
function checkPattern(node: ASTNode): void {
  if (node.op !== "rcall" || node.args[0] !== "matches") return;
  const [pattern] = node.args[2];
  if (pattern?.op === "value" && typeof pattern.args === "string") patternOf(pattern.args);
}

function evaluated(text: string, program: ParseResult, context: RootContext): JsonValue {
  workLeft = MAX_WORK;
  try {
    const result = fromCel(program(context));
    if (workLeft >= 0) return result;
  } catch (error) {
    if (workLeft >= 0) throw failed(text, messageOf(error));
  }
  throw new EngineError(
    "limit_exceeded",
    `the expression ${quoted(text)} goes through more than ${MAX_WORK} items: have a function do that`,
  );
}

type RootContext = Readonly<Record<string, unknown>>;
/** For each root the fields that are asked for by name; undefined for all of it. */
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

/** The expression as a text that counts its work: every list that is gone through, every part that is put together. */
function metered(node: ASTNode): string {
  switch (node.op) {
    case "value":
    case "id":
      return node.input.slice(node.start, node.end);
    case ".":
      return `${metered(node.args[0])}.${node.args[1]}`;
    case "[]":
      return `${metered(node.args[0])}[${metered(node.args[1])}]`;
    case "call":
      return callText(node.args[0], node.args[1]);
    case "rcall":
      return methodText(node.args[0], node.args[1], node.args[2]);
    case "list":
      return `[${node.args.map(metered).join(", ")}]`;
    case "map":
      return `{${node.args.map(([key, value]) => `${metered(key)}: ${metered(value)}`).join(", ")}}`;
    case "?:": {
      const [condition, yes, no] = node.args;
      return `(${metered(condition)} ? ${metered(yes)} : ${metered(no)})`;
    }
    case "!_":
      return `(!${metered(node.args)})`;
    case "-_":
      return `(-${metered(node.args)})`;
    case "||":
    case "&&":
    case "-":
    case "*":
    case "/":
    case "%":
      return `(${metered(node.args[0])} ${node.op} ${metered(node.args[1])})`;
    case "+":
      return `(${counted(node.args[0])} + ${counted(node.args[1])})`;
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
    case "in": {
      const [left, right] = node.args;
      // Compared with a literal, the literal is all that can be gone through.
      const isShort = node.op !== "in" && (left.op === "value" || right.op === "value");
      const operand = isShort ? metered : weighed;
      return `(${operand(left)} ${node.op} ${operand(right)})`;
    }
    default:
      throw new EngineError("internal", `an expression holds ${node.op}, which is not known`);
  }
}

function callText(name: string, args: readonly ASTNode[]): string {
  const inside = args.map(name === "has" ? metered : counted);
  return `${name}(${inside.join(", ")})`;
}

function methodText(name: string, receiver: ASTNode, args: readonly ASTNode[]): string {
  const [first] = args;
  if (name === "matches" && args.length === 1 && first !== undefined)
    return `${MATCHES}(${counted(receiver)}, ${metered(first)})`;
  const inside = LOOPS.has(name) ? args.map(metered) : args.map(counted);
  return `${counted(receiver)}.${name}(${inside.join(", ")})`;
}

function counted(node: ASTNode): string {
  return node.op === "value" ? metered(node) : `${METERED}(${metered(node)})`;
}

/** For what is compared: all that is in it. */
function weighed(node: ASTNode): string {
  return node.op === "value" ? metered(node) : `${WEIGHED}(${metered(node)})`;
}

function pay(work: number): void {
  workLeft -= work;
  if (workLeft < 0) throw new EngineError("limit_exceeded", "too much work");
}

function count(value: unknown): unknown {
  pay(sizeOf(value));
  return value;
}

function weigh(value: unknown): unknown {
  pay(sizeOf(value));
  if (Array.isArray(value)) for (const item of value) weigh(item);
  else if (isJsonObject(value)) for (const item of Object.values(value)) weigh(item);
  return value;
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return 1 + (value.length >> 6);
  if (Array.isArray(value)) return 1 + value.length;
  return isJsonObject(value) ? 1 + Object.keys(value).length : 1;
}

/** RE2's own matching, anywhere in the text. */
function matches(text: string, pattern: string): boolean {
  pay(text.length >> 3);
  return patternOf(pattern).test(text);
}

const patterns = new Map<string, RE2JS>();
const MAX_PATTERNS = 256;

function patternOf(pattern: string): RE2JS {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  let made: RE2JS;
  try {
    made = RE2JS.compile(pattern);
  } catch (error) {
    throw new Error(`the pattern ${preview(pattern)} cannot be read: ${errorMessage(error)}`, {
      cause: error,
    });
  }
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  patterns.set(pattern, made);
  return made;
}

type Environments = { readonly reading: Environment; readonly running: Environment };
const known = new Map<string, Environments>();

/** For reading what people wrote, and for running what became of it. Made once for each set of roots. */
function environments(roots: Roots): Environments {
  const key = roots.join(" ");
  let made = known.get(key);
  if (made === undefined) {
    made = {
      reading: environment(roots, LIMITS),
      running: environment(roots, { maxAstNodes: 20_000, maxDepth: 1_000 })
        .registerFunction(`${METERED}(dyn): dyn`, count)
        .registerFunction(`${WEIGHED}(dyn): dyn`, weigh)
        .registerFunction(`${MATCHES}(string, string): bool`, matches),
    };
    known.set(key, made);
  }
  return made;
}

function environment(roots: Roots, limits: typeof LIMITS): Environment {
  const made = new Environment({ homogeneousAggregateLiterals: false, limits });
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

/** What is wrong with a text that could not be read, and at which of its characters. */
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
  const text = (error as Fault).summary ?? errorMessage(error);
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
