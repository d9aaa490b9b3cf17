/** First syntax error in a JSON text, with the expected input at its position. Lines and columns start at 1. */
export type JsonFault = {
  readonly line: number;
  readonly column: number;
  readonly expected: string;
  readonly got: string;
};

const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const NUMBER_OR_NAME = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const SPACE = /[ \t\n\r]*/y;

/**
 * Finds the error in a text refused by `JSON.parse`. The messages of JavaScript engines differ, and some name no
 * position.
 */
export function jsonFault(text: string): JsonFault {
  const { at, expected } = new Scanner(text).run();
  const before = text.slice(0, at).split("\n");
  const rest = text.slice(at, at + 20).split("\n")[0] ?? "";
  return {
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    expected,
    got: at >= text.length ? "the end" : JSON.stringify(rest),
  };
}

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Scans iteratively with a stack of closing brackets, so deep nesting cannot overflow the call stack. */
  run(): { at: number; expected: string } {
    const closing: string[] = [];
    for (;;) {
      this.#space();
      const close = closing.at(-1);
      if (close === "}" && !this.#string())
        return this.#fault(
          `a property name in double quotes${this.#text[this.#at] === "'" ? ", not single ones" : ""}`,
        );
      this.#space();
      if (close === "}" && !this.#is(":")) return this.#fault('":"');
      this.#space();
      if (this.#is("{")) {
        closing.push("}");
        this.#space();
        if (!this.#is("}")) continue;
        closing.pop();
      } else if (this.#is("[")) {
        closing.push("]");
        this.#space();
        if (!this.#is("]")) continue;
        closing.pop();
      } else if (!this.#string() && !this.#take(NUMBER_OR_NAME)) return this.#fault("a value");
      for (;;) {
        this.#space();
        const open = closing.at(-1);
        if (open === undefined) return this.#fault("the end");
        if (this.#is(",")) break;
        if (!this.#is(open)) return this.#fault(`"," or "${open}"`);
        closing.pop();
      }
    }
  }

  #string(): boolean {
    return this.#text[this.#at] === '"' && this.#take(STRING);
  }

  #space(): void {
    if (this.#text.charCodeAt(this.#at) <= 0x20) this.#take(SPACE);
  }

  #is(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) return false;
    this.#at += found.length;
    return true;
  }

  #fault(expected: string): { at: number; expected: string } {
    return { at: this.#at, expected };
  }
}
