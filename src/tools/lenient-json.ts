// Reads objects as models write them: JSON, JSON5 and Python literals in one grammar.
//
// Accepts single, double and triple quotes, bare keys, True/False/None, tuples, comments, trailing commas, hexadecimal
// numbers, `.5` and `+1`. Never guesses: text outside of the grammar is not read.
import type { JsonObject, JsonValue } from "../base/json.ts";

const MAX_DEPTH = 100;
const SKIPPED = /(?:\s+|\/\/[^\n]*|#[^\n]*|\/\*[^]*?\*\/)*/y;
const NUMBER = /[+-]?(?:0[xX][\da-fA-F]+|(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w$])/y;
const WORD = /[A-Za-z_$][\w$-]*/y;
const QUOTE = /([uUbBrR]{0,2})("""|'''|"|')/y;
const LITERALS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["null", null],
  ["None", null],
]);
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"],
  ["0", "\0"],
  ["\n", ""],
  ["\\", "\\"],
  ["/", "/"],
  ["'", "'"],
  ['"', '"'],
]);

/**
 * Reads the object at the start of `text` and returns it with its end; undefined if the text does not match the
 * grammar.
 */
export function readLenientObject(
  text: string,
): { readonly value: JsonObject; readonly end: number } | undefined {
  const reader = new LenientReader(text);
  const value = reader.readObject(0);
  return value === undefined ? undefined : { value, end: reader.skip() };
}

/** Reads the arguments of a call in code, up to its closing bracket: `query="x", limit=3)`. */
export function readKeywordArguments(text: string): JsonObject | undefined {
  return new LenientReader(text).readKeywords();
}

/** Every `read…` method returns undefined, with the position anywhere, if the text does not fit. */
class LenientReader {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readObject(depth: number): JsonObject | undefined {
    if (!this.#take("{")) return undefined;
    const entries: (readonly [string, JsonValue])[] = [];
    while (!this.#take("}")) {
      const key = this.#readKey();
      if (key === undefined || !this.#take(":")) return undefined;
      const value = this.#readValue(depth + 1);
      if (value === undefined) return undefined;
      entries.push([key, value]);
      if (!this.#take(",") && this.#peek() !== "}") return undefined;
    }
    return Object.fromEntries(entries);
  }

  readKeywords(): JsonObject | undefined {
    const entries: (readonly [string, JsonValue])[] = [];
    while (!this.#take(")")) {
      this.skip();
      const name = this.#match(WORD)?.[0];
      if (name === undefined || !this.#take("=")) return undefined;
      const value = this.#readValue(1);
      if (value === undefined) return undefined;
      entries.push([name, value]);
      if (!this.#take(",") && this.#peek() !== ")") return undefined;
    }
    return Object.fromEntries(entries);
  }

  /** Skips spaces and comments. Returns the start of the next token. */
  skip(): number {
    this.#match(SKIPPED);
    return this.#position;
  }

  #readValue(depth: number): JsonValue | undefined {
    if (depth > MAX_DEPTH) return undefined;
    const next = this.#peek();
    if (next === "{") return this.readObject(depth);
    if (next === "[") return this.#readList("]", depth)?.items;
    if (next === "(") {
      const list = this.#readList(")", depth);
      return list?.items.length === 1 && !list.hasComma ? list.items[0] : list?.items;
    }
    const text = this.#readString();
    if (text !== undefined) return text;
    const number = this.#match(NUMBER)?.[0];
    if (number !== undefined) return toNumber(number);
    return LITERALS.get(this.#match(WORD)?.[0] ?? "");
  }

  #readList(close: string, depth: number): { items: JsonValue[]; hasComma: boolean } | undefined {
    this.#position++;
    const items: JsonValue[] = [];
    let hasComma = false;
    while (!this.#take(close)) {
      const item = this.#readValue(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
      if (this.#take(",")) hasComma = true;
      else if (this.#peek() !== close) return undefined;
    }
    return { items, hasComma };
  }

  #readKey(): string | undefined {
    this.skip();
    return this.#readString() ?? this.#match(WORD)?.[0] ?? this.#match(NUMBER)?.[0];
  }

  #readString(): string | undefined {
    const opening = this.#match(QUOTE);
    if (opening === undefined) return undefined;
    const [, prefix = "", quote = ""] = opening;
    const isRaw = /r/i.test(prefix);
    const parts: string[] = [];
    let from = this.#position;
    while (this.#position < this.#text.length) {
      if (this.#text.startsWith(quote, this.#position)) {
        parts.push(this.#text.slice(from, this.#position));
        this.#position += quote.length;
        return parts.join("");
      }
      if (this.#text[this.#position] !== "\\") {
        this.#position++;
      } else if (isRaw) {
        this.#position += 2;
      } else {
        parts.push(this.#text.slice(from, this.#position), this.#readEscape());
        from = this.#position;
      }
    }
    return undefined;
  }

  #readEscape(): string {
    const hex = this.#match(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2}))/y);
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex[1] ?? hex[2] ?? "", 16));
    const escaped = this.#text[this.#position + 1] ?? "";
    this.#position += 1 + escaped.length;
    return ESCAPES.get(escaped) ?? `\\${escaped}`;
  }

  #peek(): string | undefined {
    return this.#text[this.skip()];
  }

  #take(token: string): boolean {
    if (this.#peek() !== token) return false;
    this.#position++;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.#text) ?? undefined;
    if (match !== undefined) this.#position = pattern.lastIndex;
    return match;
  }
}

/** Returns undefined for numbers outside of JSON's range, such as `1e999`. */
function toNumber(text: string): number | undefined {
  const [, sign = "", digits = ""] = /^([+-]?)(.*)$/.exec(text.replaceAll("_", "")) ?? [];
  const value = Number(digits) * (sign === "-" ? -1 : 1);
  return Number.isFinite(value) ? value : undefined;
}
