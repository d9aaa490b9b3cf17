// Context expressions: conditions over the context variables of a conversation, such as `${severity} == 'high' and not
// ${done}`.
//
//   XPR1. An expression is a tree with nodes for its variables. Values are never inserted into the text, so no value
//         can change the expression.
//   XPR2. Invalid text is refused when the expression is made, with its column. Nesting and length are bounded.
//   XPR3. Every variable of an expression must exist, also one skipped by `and` or `or`, unless `missing` is "false".
//   XPR4. The result is a boolean. With compat "ag2-0.14" it is the last evaluated value.
import { expressionFault, tokensOf, type Token } from "./expression-tokens.ts";
import type { Compat } from "../compat.ts";

/** Operator of a comparison. */
export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";

/** A node of a parsed expression. */
export type ExpressionNode =
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "variable"; readonly name: string }
  /** A name without `${}`, which AG2 parses and cannot evaluate; with compat only. */
  | { readonly kind: "bareName"; readonly name: string; readonly column: number }
  | { readonly kind: "length" | "negative" | "not"; readonly operand: ExpressionNode }
  | { readonly kind: "and" | "or"; readonly operands: readonly ExpressionNode[] }
  | {
      readonly kind: "comparison";
      readonly first: ExpressionNode;
      /** `1 < ${x} < 5` has two: each compares with the value before it. */
      readonly rest: readonly { readonly operator: Comparison; readonly operand: ExpressionNode }[];
    };

/** A parsed expression, ready for any number of evaluations. */
export type Expression = {
  readonly source: string;
  readonly tree: ExpressionNode;
  /** Names of its variables, each once, in order of appearance. */
  readonly variables: readonly string[];
  readonly compat?: Compat;
};

const MAX_DEPTH = 100;
const COMPARISONS: readonly string[] = ["==", "!=", "<", "<=", ">", ">="];
const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ["True", true],
  ["False", false],
  ["None", null],
]);

/** Spellings of other languages, and Python's. */
const SPELLED_OTHERWISE: ReadonlyMap<string, string> = new Map([
  ["true", "True"],
  ["false", "False"],
  ["null", "None"],
  ["undefined", "None"],
]);

/** Parses an expression. Throws `invalid_definition`; the message names the column of the first fault. */
export function parseExpression(source: string, compat?: Compat): Expression {
  const parser = new Parser(tokensOf(source), compat);
  const tree = parser.whole();
  const variables = [...parser.variables];
  return { source, tree, variables, ...(compat === undefined ? {} : { compat }) };
}

class Parser {
  readonly variables = new Set<string>();
  readonly #tokens: readonly Token[];
  readonly #compat: Compat | undefined;
  #index = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], compat: Compat | undefined) {
    this.#tokens = tokens;
    this.#compat = compat;
  }

  whole(): ExpressionNode {
    const tree = this.#or();
    if (this.#next.kind !== "end") throw this.#unexpected("the end of the expression");
    return tree;
  }

  get #next(): Token {
    return this.#tokens[this.#index] ?? { kind: "end", text: "", column: 1 };
  }

  #or(): ExpressionNode {
    return this.#joined("or", "|", () => this.#and());
  }

  #and(): ExpressionNode {
    return this.#joined("and", "&", () => this.#not());
  }

  #joined(kind: "and" | "or", symbol: string, operand: () => ExpressionNode): ExpressionNode {
    const first = operand();
    const operands = [first];
    while (this.#take("name", kind) || this.#take("symbol", symbol)) operands.push(operand());
    return operands.length === 1 ? first : { kind, operands };
  }

  #not(): ExpressionNode {
    const { column } = this.#next;
    if (this.#take("name", "not")) return this.#inside(() => negated(this.#not()));
    if (!this.#take("symbol", "!")) return this.#comparison();
    const { kind, text } = this.#next;
    if (kind !== "variable" && !(kind === "symbol" && text === "("))
      throw expressionFault('"!" stands before ${ or ( only; "not" stands anywhere', column);
    return this.#inside(() => negated(this.#not()));
  }

  #comparison(): ExpressionNode {
    const first = this.#term();
    const rest: { operator: Comparison; operand: ExpressionNode }[] = [];
    for (let { kind, text } = this.#next; kind === "symbol"; { kind, text } = this.#next) {
      if (!COMPARISONS.includes(text)) break;
      this.#index++;
      rest.push({ operator: text as Comparison, operand: this.#term() });
    }
    return rest.length === 0 ? first : { kind: "comparison", first, rest };
  }

  #term(): ExpressionNode {
    const { kind, text } = this.#next;
    if (kind === "name") return this.#name();
    if (kind === "end") throw this.#unexpected("a value");
    if (kind === "symbol" && text !== "-" && text !== "(") throw this.#unexpected("a value");
    this.#index++;
    if (kind === "number") return { kind: "literal", value: Number(text) };
    if (kind === "string") return { kind: "literal", value: text };
    if (kind === "variable") {
      this.variables.add(text);
      return { kind: "variable", name: text };
    }
    return this.#inside(() => {
      if (text === "-") return { kind: "negative", operand: this.#term() };
      const inner = this.#or();
      this.#close();
      return inner;
    });
  }

  #name(): ExpressionNode {
    const { text, column } = this.#next;
    const constant = CONSTANTS.get(text);
    if (constant === undefined && ["and", "or", "not"].includes(text))
      throw this.#unexpected("a value");
    this.#index++;
    if (constant !== undefined) return { kind: "literal", value: constant };
    const isCall = this.#take("symbol", "(");
    if (isCall && text === "len")
      return this.#inside(() => {
        const operand = this.#term();
        this.#close();
        return { kind: "length", operand };
      });
    if (isCall) throw expressionFault(`only len() can be called, got ${text}()`, column);
    const written = SPELLED_OTHERWISE.get(text);
    if (this.#compat === undefined && written !== undefined)
      throw expressionFault(`"${text}" is written ${written}`, column);
    if (this.#compat === undefined || ["in", "is", "if", "else", "lambda"].includes(text))
      throw expressionFault(
        `"${text}" is not valid here: a variable is written \${${text}}, a text '${text}'`,
        column,
      );
    return { kind: "bareName", name: text, column };
  }

  #close(): void {
    if (!this.#take("symbol", ")")) throw this.#unexpected('")"');
  }

  /** Limits the nesting, and with it the stack. */
  #inside(parse: () => ExpressionNode): ExpressionNode {
    if (++this.#depth > MAX_DEPTH)
      throw expressionFault(`an expression is nested at most ${MAX_DEPTH} deep`, this.#next.column);
    const node = parse();
    this.#depth--;
    return node;
  }

  #take(kind: Token["kind"], text: string): boolean {
    const { kind: nextKind, text: nextText } = this.#next;
    const isNext = nextKind === kind && nextText === text;
    if (isNext) this.#index++;
    return isNext;
  }

  #unexpected(expected: string): Error {
    const { kind, text, column } = this.#next;
    const got = kind === "end" ? "the end" : kind === "variable" ? `\${${text}}` : `"${text}"`;
    return expressionFault(`expected ${expected}, got ${got}`, column);
  }
}

function negated(operand: ExpressionNode): ExpressionNode {
  return { kind: "not", operand };
}
