import { preview } from "../../base/json.ts";
import { invalid } from "./arithmetic-values.ts";

export type Token = {
  readonly kind: "number" | "text" | "word" | "sign" | "percent";
  readonly text: string;
};

const TOKEN =
  /\s*(?:(\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)|"([^"]*)"|'([^']*)'|([A-Za-z_]\w*)|(\*\*|[<>=!]=|[-+*/%^(),<>=]))/y;
const SIGNS: ReadonlyMap<string, string> = new Map([
  ["×", "*"],
  ["·", "*"],
  ["÷", "/"],
  ["−", "-"],
  ["–", "-"],
  ["≤", "<="],
  ["≥", ">="],
  ["≠", "!="],
]);

/** Splits an expression into tokens. Fails with `invalid_input` at the first character that starts no token. */
export function tokenize(expression: string): Token[] {
  const text = expression.trim().replace(/[×·÷−–≤≥≠]/g, (sign) => SIGNS.get(sign) ?? sign);
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let position = 0; position < text.length; position = TOKEN.lastIndex) {
    const match = TOKEN.exec(text);
    if (match === null)
      throw invalid(
        `expected a number, name, date in quotes or operator, got ${preview(text.slice(position), 20)}`,
      );
    const [, number, double, single, word, sign] = match;
    if (number !== undefined && /^0\d/.test(number)) {
      throw invalid(
        `expected numbers without leading zeros or thousands separators, got ${preview(text, 60)}`,
      );
    }
    if (number !== undefined) tokens.push({ kind: "number", text: number.replaceAll("_", "") });
    else if (word !== undefined) tokens.push({ kind: "word", text: word.toLowerCase() });
    else if (sign === "%" && isPercent(text, TOKEN.lastIndex))
      tokens.push({ kind: "percent", text: "%" });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign });
    else tokens.push({ kind: "text", text: double ?? single ?? "" });
  }
  return tokens;
}

/** `%` is the remainder when an operand follows (`7 % 3`, `7 % -3`), else percent (`15%`, `10% - 3`, `15% of 80`). */
function isPercent(text: string, after: number): boolean {
  const isAttached = /[\w)]/.test(text[after - 2] ?? "");
  const next = text.slice(after).trimStart();
  return /^(?:$|[*/^%),<>=!]|of\b)/i.test(next) || (isAttached && /^[-+]/.test(next));
}
