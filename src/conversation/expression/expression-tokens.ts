// Tokens of a context expression, each with its column.
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";

/** A token of an expression; columns count from 1. */
export type Token = {
  readonly kind: "variable" | "number" | "string" | "name" | "symbol" | "end";
  /** The name of a variable, the text of a string; otherwise the token itself. */
  readonly text: string;
  readonly column: number;
};

/** Maximum length of an expression. */
const MAX_EXPRESSION_LENGTH = 10_000;

const NUMBER = /(?:0|[1-9]\d*)(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?/iy;
const NAME = /[\p{ID_Start}_][\p{ID_Continue}]*/uy;
const WHOLE_NAME = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;
const SYMBOL = /<=|>=|==|!=|[<>()!&|,-]/y;

/** Reserved words of Python, which AG2 refuses as names of variables. */
const RESERVED = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global " +
    "if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

/** True if an expression can read a context variable of this name. */
export function isVariableName(name: string): boolean {
  return WHOLE_NAME.test(name) && !RESERVED.has(name);
}

/** Makes the error for an invalid expression. */
export function expressionFault(message: string, column: number): EngineError {
  return new EngineError("invalid_definition", `column ${column}: ${message}`);
}

/** Splits an expression into tokens. Throws `invalid_definition`, naming the column, for an unexpected character. */
export function tokensOf(source: string): readonly Token[] {
  if (source.length > MAX_EXPRESSION_LENGTH)
    throw expressionFault(
      `an expression has at most ${MAX_EXPRESSION_LENGTH} characters, got ${source.length}`,
      MAX_EXPRESSION_LENGTH + 1,
    );
  const tokens: Token[] = [];
  for (let index = skipSpaces(source, 0); index < source.length;) {
    const { token, end } = tokenAt(source, index);
    tokens.push(token);
    index = skipSpaces(source, end);
  }
  return [...tokens, { kind: "end", text: "", column: source.length + 1 }];
}

type Found = { readonly token: Token; readonly end: number };

function tokenAt(source: string, index: number): Found {
  const character = source.charAt(index);
  if (character === "$") return variableAt(source, index);
  if (character === '"' || character === "'") return stringAt(source, index);
  return (
    numberAt(source, index) ??
    matchAt(NAME, "name", { source, index }) ??
    symbolAt(source, index) ??
    refuse(source, index)
  );
}

function variableAt(source: string, index: number): Found {
  const column = index + 1;
  const end = source.indexOf("}", index);
  if (source.charAt(index + 1) !== "{" || end < 0)
    throw expressionFault('expected a variable as ${name}, got "$"', column);
  const name = source.slice(index + 2, end);
  if (!isVariableName(name)) {
    const what = RESERVED.has(name) ? "is a reserved word" : "is no name";
    throw expressionFault(
      `a variable's name has letters, digits and underscores, and begins with no digit: ${preview(name)} ${what}`,
      column,
    );
  }
  return { token: { kind: "variable", text: name, column }, end: end + 1 };
}

function stringAt(source: string, index: number): Found {
  const end = source.indexOf(source.charAt(index), index + 1);
  if (end < 0) throw expressionFault("the string that begins here has no end", index + 1);
  const text = source.slice(index + 1, end);
  return { token: { kind: "string", text, column: index + 1 }, end: end + 1 };
}

function numberAt(source: string, index: number): Found | undefined {
  const found = matchAt(NUMBER, "number", { source, index });
  if (found === undefined) return undefined;
  NAME.lastIndex = found.end;
  if (NAME.test(source) || /[\d.]/.test(source.charAt(found.end)))
    throw expressionFault(
      `expected a number, got ${preview(source.slice(index, found.end + 1))}`,
      index + 1,
    );
  if (!Number.isFinite(Number(found.token.text)))
    throw expressionFault(`expected a number below 1e308, got ${found.token.text}`, index + 1);
  return found;
}

/** `&` and `|` are operators only between spaces, as in AG2. */
function symbolAt(source: string, index: number): Found | undefined {
  const found = matchAt(SYMBOL, "symbol", { source, index });
  if (found === undefined || !"&|".includes(found.token.text)) return found;
  const around = `${source.charAt(index - 1)}${source.charAt(index + 1)}`;
  if (!/^\s\s$/.test(around))
    throw expressionFault(
      `${found.token.text} needs a space on both sides; "and" and "or" mean the same`,
      index + 1,
    );
  return found;
}

function matchAt(
  pattern: RegExp,
  kind: Token["kind"],
  { source, index }: { source: string; index: number },
): Found | undefined {
  pattern.lastIndex = index;
  const text = pattern.exec(source)?.[0];
  if (text === undefined) return undefined;
  return { token: { kind, text, column: index + 1 }, end: index + text.length };
}

function refuse(source: string, index: number): never {
  const character = String.fromCodePoint(source.codePointAt(index) ?? 0);
  if (character === "=") throw expressionFault('"=" is no comparison: write "=="', index + 1);
  throw expressionFault(
    `an expression has variables, numbers, strings, comparisons, and, or, not and len(); got ${preview(character)}`,
    index + 1,
  );
}

function skipSpaces(source: string, from: number): number {
  let index = from;
  while (/\s/.test(source.charAt(index))) index++;
  return index;
}
