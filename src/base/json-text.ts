// JSON as people write it: with comments and trailing commas.
import type { JsonValue } from "./json.ts";
import type { Placed } from "./yaml.ts";

type RefuseAt = (reason: string, offset: number) => Error;

/** A value with the places of itself and of each of its parts: a property by its key. */
export type JsonText = { readonly value: JsonValue; readonly root: Placed };

/** Parses a JSON text. Throws the result of `refuse` for the first error. */
export function readJsonText(text: string, refuse: RefuseAt): JsonText {
  return new Reader(text, refuse).document();
}

const BLANK = /(?:\s|\/\/[^\n\r]*|\/\*[^]*?\*\/)*/y;
const TEXT = /"(?:[^"\\\n\r]|\\.)*"/y;
const WORD = /-?[\d.]+(?:[eE][+-]?\d+)?|true|false|null/y;

class Reader {
  readonly #text: string;
  readonly #refuse: RefuseAt;
  #at = 0;

  constructor(text: string, refuse: RefuseAt) {
    this.#text = text;
    this.#refuse = refuse;
  }

  document(): JsonText {
    const whole = this.#value();
    if (this.#peek() !== "") throw this.#refuse("end of file expected", this.#at);
    return whole;
  }

  #value(): JsonText {
    const next = this.#peek();
    const offset = this.#at;
    if (next === "{") return this.#object(offset);
    if (next === "[") return this.#list(offset);
    const value = next === '"' ? this.#token(TEXT) : this.#token(WORD);
    if (value === undefined) throw this.#refuse("value expected", offset);
    return { value, root: { offset, children: [] } };
  }

  #object(offset: number): JsonText {
    const fields: [string, JsonValue][] = [];
    const children = new Map<string, Placed>();
    this.#each("}", () => {
      const isKey = this.#peek() === '"';
      const keyOffset = this.#at;
      const key = isKey ? this.#token(TEXT) : undefined;
      if (typeof key !== "string") throw this.#refuse("property name expected", keyOffset);
      if (this.#peek() !== ":") throw this.#refuse("colon expected", this.#at);
      this.#at += 1;
      const { value, root } = this.#value();
      fields.push([key, value]);
      children.set(key, { ...root, offset: keyOffset });
    });
    return { value: Object.fromEntries(fields), root: { offset, children } };
  }

  #list(offset: number): JsonText {
    const parts: JsonText[] = [];
    this.#each("]", () => void parts.push(this.#value()));
    const children = parts.map(({ root }) => root);
    return { value: parts.map(({ value }) => value), root: { offset, children } };
  }

  /** Reads the items between two brackets, one after the other. */
  #each(end: string, read: () => void): void {
    this.#at += 1;
    while (this.#peek() !== end) {
      read();
      const next = this.#peek();
      if (next === ",") this.#at += 1;
      else if (next !== end)
        throw this.#refuse(next === "" ? `${end} expected` : "comma expected", this.#at);
    }
    this.#at += 1;
  }

  /** Returns the next character after white space; empty at the end. */
  #peek(): string {
    BLANK.lastIndex = this.#at;
    this.#at += BLANK.exec(this.#text)?.[0].length ?? 0;
    return this.#text.charAt(this.#at);
  }

  /** Returns the value of a token, itself valid JSON; undefined without a match. */
  #token(form: RegExp): JsonValue | undefined {
    form.lastIndex = this.#at;
    const token = form.exec(this.#text)?.[0];
    if (token === undefined) return undefined;
    try {
      const value = JSON.parse(token) as JsonValue;
      this.#at += token.length;
      return value;
    } catch {
      return undefined;
    }
  }
}
