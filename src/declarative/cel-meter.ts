// Limits of expressions: on their work, and on the size of the values they create.
//
// The library does not limit evaluation. The evaluated text is therefore generated from the written expression: it
// calls Edgecrew's functions around each iterated operand and each created value.
import type { ASTNode } from "@marcbachmann/cel-js";
import { EngineError, errorMessage } from "../base/error.ts";
import { isJsonObject, preview, typeName, type JsonValue } from "../base/json.ts";
import { re2Pattern, type LinearPattern } from "../base/linear-pattern.ts";

/** Items gone through, compared or concatenated in one evaluation; 64 characters of text count as an item. */
const MAX_WORK = 2_000_000;
/** Steps of a pattern that count as one item. */
const STEPS_AS_ITEM = 16;
/** Maximum size of intermediate values in one evaluation, in characters; an item of a list counts as eight. */
const MAX_MADE = 20_000_000;
/**
 * Maximum size of the result of an expression, a template or an action: characters of its texts, and one for each item,
 * number and field.
 */
const MAX_RESULT = 10_000_000;

/** Names of the macros that iterate over a list. */
const LOOPS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "map", "filter"]);

/** Edgecrew's functions in the evaluated text; in a written expression they are unknown names. */
const METERED = "_metered";
const WEIGHED = "_weighed";
const MATCHES = "_matches";
const MADE = "_made";
const SPAN = "_span";
const RANGE = "_range";

/** Remaining work of the current evaluation. Evaluations are synchronous, so they do not interleave. */
let workLeft = 0;
let makingLeft = 0;

/** Remaining size of a result. */
export class Room {
  #left = MAX_RESULT;

  /** Throws `limit_exceeded` if the room is used up. */
  take(size: number): void {
    this.#left -= size;
    if (this.isExceeded) throw new EngineError("limit_exceeded", TOO_LARGE);
  }

  /** The value, once there was room for it. */
  hold<Value extends JsonValue>(value: Value): Value {
    this.take(typeof value === "string" ? value.length + 1 : 1);
    if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) {
        if (!Array.isArray(value)) this.take(key.length);
        this.hold(item);
      }
    return value;
  }

  get isExceeded(): boolean {
    return this.#left < 0;
  }
}

const TOO_LARGE = `gives more than ${MAX_RESULT} characters`;

type Measured = {
  readonly value?: JsonValue;
  /** Name of the exceeded limit. */
  readonly exceeded?: string;
  readonly error?: unknown;
};

/** Evaluates within the limits. An expression cannot suppress an exceeded limit. */
export function measured(evaluate: (room: Room) => JsonValue): Measured {
  workLeft = MAX_WORK;
  makingLeft = MAX_MADE;
  const room = new Room();
  let done: Measured;
  try {
    done = { value: evaluate(room) };
  } catch (error) {
    done = { error };
  }
  if (workLeft < 0) return { exceeded: `goes through more than ${MAX_WORK} items` };
  if (makingLeft < 0) return { exceeded: `makes more than ${MAX_MADE} characters on the way` };
  return room.isExceeded ? { exceeded: TOO_LARGE } : done;
}

/** Makes a value from results of expressions. Throws `limit_exceeded` and names `what` if the value is too large. */
export function within<Value>(what: string, make: (room: Room) => Value): Value {
  const room = new Room();
  try {
    return make(room);
  } catch (error) {
    if (!room.isExceeded) throw error;
    throw new EngineError("limit_exceeded", `${what} ${TOO_LARGE}: keep large values in files`, {
      cause: error,
    });
  }
}

/** Functions called by the texts of `metered`, by their signatures. */
export const METER_FUNCTIONS: ReadonlyArray<
  readonly [signature: string, run: (...all: never[]) => unknown]
> = [
  [`${METERED}(dyn): dyn`, count],
  [`${WEIGHED}(dyn): dyn`, weigh],
  [`${MADE}(dyn): dyn`, noteMade],
  [`${SPAN}(dyn): dyn`, span],
  [`${RANGE}(dyn): dyn`, range],
  [`${MATCHES}(string, string): bool`, matches],
];

/**
 * Returns the expression as a counting text. It counts every iterated list, every concatenated part and every created
 * value.
 */
export function metered(node: ASTNode): string {
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
      return `(${metered(condition)} ? dyn(${metered(yes)}) : dyn(${metered(no)}))`;
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
      return `${MADE}(${counted(node.args[0])} + ${counted(node.args[1])})`;
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
    case "in": {
      const [left, right] = node.args;
      // A comparison with a literal goes at most through the literal.
      const isShort = node.op !== "in" && (left.op === "value" || right.op === "value");
      const isEquality = node.op === "==" || node.op === "!=";
      const operand = isShort ? (isEquality ? untyped : metered) : weighed;
      return `(${operand(left)} ${node.op} ${operand(right)})`;
    }
    default:
      throw new EngineError("internal", `an expression holds ${node.op}, which is not known`);
  }
}

function callText(name: string, args: readonly ASTNode[]): string {
  const [only] = args;
  if (name === "duration" && only !== undefined && args.length === 1)
    return `${MADE}(duration(${SPAN}(${counted(only)})))`;
  const inside = args.map(name === "has" ? metered : counted);
  const call = `${name}(${inside.join(", ")})`;
  return name === "has" ? call : `${MADE}(${call})`;
}

function methodText(name: string, receiver: ASTNode, args: readonly ASTNode[]): string {
  const [first] = args;
  if (name === "matches" && args.length === 1 && first !== undefined)
    return `${MATCHES}(${counted(receiver)}, ${metered(first)})`;
  const inside = LOOPS.has(name) ? args.map(metered) : args.map(counted);
  // `join` goes through the whole text of the list's items.
  const all = name === "join" ? weighed(receiver) : counted(receiver);
  const of = LOOPS.has(name) ? `${RANGE}(${all})` : all;
  return `${MADE}(${of}.${name}(${inside.join(", ")}))`;
}

function counted(node: ASTNode): string {
  return node.op === "value" ? metered(node) : `${METERED}(${metered(node)})`;
}

/** Returns an operand without a type: the comparison itself finds values of two types unequal. */
function untyped(node: ASTNode): string {
  return `dyn(${metered(node)})`;
}

/** Returns a counting operand for a comparison, with its whole content counted. */
function weighed(node: ASTNode): string {
  return node.op === "value" ? metered(node) : `${WEIGHED}(${metered(node)})`;
}

function pay(work: number): void {
  workLeft -= work;
  if (workLeft < 0) throw new EngineError("limit_exceeded", "too much work");
}

function noteMade(value: unknown): unknown {
  makingLeft -= roomOf(value);
  if (makingLeft < 0) throw new EngineError("limit_exceeded", "too much made");
  return value;
}

/** Returns the approximate size of a value without its references: one for a character, eight for an item of a list. */
function roomOf(value: unknown): number {
  if (typeof value === "string" || value instanceof Uint8Array) return value.length;
  if (Array.isArray(value)) return 8 * value.length;
  return isJsonObject(value) ? 16 * Object.keys(value).length : 0;
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

/** The library iterates over anything, and finds nothing in a number or a time. */
function range(value: unknown): unknown {
  if (Array.isArray(value) || value instanceof Map || isPlainMap(value)) return value;
  throw new Error(`a list or a map is needed to go through, got ${typeName(value)}`);
}

function isPlainMap(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The library reads the beginning of a text as a duration and forgets the rest. */
function span(text: unknown): unknown {
  if (
    typeof text === "string" &&
    !/^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*$|^[+-]?0$/.test(
      text,
    )
  )
    throw new Error(`invalid duration ${preview(text)}`);
  return text;
}

/** Matches a pattern of RE2 anywhere in the text. */
function matches(text: string, pattern: string): boolean {
  const linear = patternOf(pattern);
  let steps = 0;
  return linear.test(text, (followed) => {
    steps += followed;
    pay(Math.floor(steps / STEPS_AS_ITEM));
    steps %= STEPS_AS_ITEM;
  });
}

/** Compiles a pattern. Throws and names the pattern if it is invalid. */
export function patternOf(pattern: string): LinearPattern {
  try {
    return re2Pattern(pattern);
  } catch (error) {
    throw new Error(`the pattern ${preview(pattern)} cannot be read: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}
