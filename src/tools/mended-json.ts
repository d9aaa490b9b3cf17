// Broken JSON as models write it, mended: cut at its end, without commas or quotes, with quotes in texts that are not escaped.
//
//   MJ1. What a bracket, a comma or a quote is missing for is read as if it were there.
//   MJ2. Nothing is made up: no key, no value, no end of a number. What would need one is not read.
import type { JsonValue } from "../base/json.ts";
import { readLenientValue } from "./lenient-json.ts";

const BLANK = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
/** A text without quotes goes to the end of its line, or to what ends a value. */
const BARE = /[^\s,:[\]{}"'“”‘’`][^,[\]{}"“”\n]*/y;
const NAME = /[A-Za-z_$][\w$-]*/y;
/** What follows a text: the end, a sign, a new line, or another text, which a comma is missing before. */
const AFTER = /\s*(?:$|[,:}\]]|["“][^"“”\n]{1,64}["”]\s*[,:}\]])|[ \t]*\n/y;
const HALF_A_NUMBER = /^(?:-|-?\d+\.|-?\d+(?:\.\d+)?[eE][+-]?)$/;
const CLOSING = new Map([
  ['"', '"'],
  ["'", "'"],
  ["“", "”"],
  ["‘", "’"],
  ["`", "`"],
]);
const MAX_DEPTH = 100;

/** The object or list that the text is meant to be; undefined where it would have to be made up. */
export function mendJson(text: string): JsonValue | undefined {
  const bare = text.replaceAll(/^```\w*\s*|\s*```\s*$/g, "");
  const source = /^[[{]\s*\\"/.test(bare) ? bare.replaceAll('\\"', '"') : bare;
  try {
    return new Mender(source).whole();
  } catch (error) {
    if (error instanceof NotMended) return undefined;
    throw error;
  }
}

class NotMended extends Error {}

class Mender {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): JsonValue {
    const value = this.#value(0);
    if (this.#peek() !== "" || typeof value !== "object") throw new NotMended();
    return value;
  }

  #value(depth: number): JsonValue {
    if (depth > MAX_DEPTH) throw new NotMended();
    const next = this.#peek();
    if (next === "{") return this.#object(depth + 1);
    if (next === "[") return this.#list(depth + 1);
    if (CLOSING.has(next)) return this.#quoted();
    const bare = this.#take(BARE)?.trim() ?? "";
    if (bare === "" || (this.#peek() === "" && HALF_A_NUMBER.test(bare))) throw new NotMended();
    const value = readLenientValue(bare);
    return value === undefined ? bare : value;
  }

  #object(depth: number): JsonValue {
    const entries: (readonly [string, JsonValue])[] = [];
    this.#each("}", () => {
      const isQuoted = CLOSING.has(this.#peek());
      const key = isQuoted ? this.#quoted() : (this.#take(NAME) ?? this.#take(/\d+/y));
      if (key === undefined || key.includes("\n") || this.#peek() !== ":") throw new NotMended();
      this.#at++;
      entries.push([key, this.#value(depth)]);
    });
    return Object.fromEntries(entries);
  }

  #list(depth: number): JsonValue {
    const items: JsonValue[] = [];
    this.#each("]", () => void items.push(this.#value(depth)));
    return items;
  }

  /** Reads what stands in brackets. The end of the text, or of what is around them, ends them as well, behind a value. */
  #each(end: string, read: () => void): void {
    this.#at++;
    for (let count = 0; ; count++) {
      const next = this.#peek();
      if (next === end) {
        this.#at++;
        return;
      }
      if (next === "" || next === "}" || next === "]") {
        if (count === 0) throw new NotMended();
        return;
      }
      read();
      if (this.#peek() === ",") this.#at++;
    }
  }

  /** A quote ends the text if what may follow a text follows it. */
  #quoted(): string {
    const start = ++this.#at;
    const close = CLOSING.get(this.#text.charAt(start - 1)) ?? '"';
    let text = "";
    for (; this.#at < this.#text.length; this.#at++) {
      const letter = this.#text.charAt(this.#at);
      if (letter === close && this.#endsHere()) {
        this.#at++;
        return text;
      }
      if (letter === "\\") text += this.#escape();
      else text += letter;
    }
    if (text === "") throw new NotMended();
    return text.trimEnd();
  }

  #endsHere(): boolean {
    AFTER.lastIndex = this.#at + 1;
    return AFTER.test(this.#text);
  }

  #escape(): string {
    const raw = this.#take(/\\(?:u[\da-fA-F]{4}|["\\/bfnrt])/y);
    if (raw === undefined) return this.#at + 1 < this.#text.length ? "\\" : "";
    this.#at--;
    return JSON.parse(`"${raw}"`) as string;
  }

  #peek(): string {
    this.#take(BLANK);
    return this.#text.charAt(this.#at);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }
}
