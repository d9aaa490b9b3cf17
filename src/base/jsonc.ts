// JSON with comments and commas at the end, with the place of every value and every fault.
import type { Placed } from "./yaml.ts";

export type JsoncFault = { readonly message: string; readonly offset: number };

/** `value` is undefined for a text that holds nothing, and means nothing where there are faults. */
export type JsoncText = Read & { readonly faults: readonly JsoncFault[] };

type Read = { readonly value: unknown; readonly root: Placed };

/** `end` is that of the text. */
type Kind = "{" | "}" | "[" | "]" | ":" | "," | "string" | "number" | "word" | "end";

const TRIVIA = /(?:[ \t\r\n]+|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y;
const TOKEN =
  /([{}[\]:,])|("(?:[^"\\\r\n]+|\\[^]?)*"?)|(-?(?:0|[1-9]\d*)(?:\.(?!\d)|(?:\.\d+)?(?:[eE][+-]?\d*)?))|(\/\*[^]*)|-|[^ \t\r\n{}[\]:,"/]+|\//y;

const NOTHING: Read = { value: undefined, root: { offset: 0, children: [] } };

/** Reads on after a fault, so that all that is wrong is told at once. */
export function readJsonc(text: string): JsoncText {
  const reader = new JsoncReader(text);
  return { ...reader.document(), faults: reader.faults };
}

class JsoncReader {
  readonly faults: JsoncFault[] = [];
  readonly #text: string;
  #kind: Kind = "end";
  #token = "";
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
    this.#next();
  }

  document(): Read {
    const read = this.#value();
    if (read === undefined) this.#fault("value expected");
    else if (this.#kind !== "end") this.#fault("end of file expected");
    return read ?? NOTHING;
  }

  /** Undefined where no value stands. */
  #value(): Read | undefined {
    const offset = this.#offset;
    if (this.#kind === "{") return this.#object(offset);
    if (this.#kind === "[") return this.#array(offset);
    if (!["string", "number", "word"].includes(this.#kind)) return undefined;
    const value = this.#literal();
    this.#next();
    return { value, root: { offset, children: [] } };
  }

  #object(offset: number): Read {
    const entries: [string, Read][] = [];
    this.#items("}", () => {
      const at = this.#offset;
      if (this.#kind !== "string") {
        this.#fault("property name expected");
        return this.#skip("}");
      }
      const key = String(this.#literal());
      this.#next();
      if (!this.#takes(":")) {
        this.#fault("colon expected");
        return this.#skip("}");
      }
      const read = this.#value();
      if (read !== undefined) {
        entries.push([key, { value: read.value, root: { ...read.root, offset: at } }]);
        return undefined;
      }
      this.#fault("value expected");
      return this.#skip("}");
    });
    return {
      value: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
      root: { offset, children: new Map(entries.map(([key, { root }]) => [key, root])) },
    };
  }

  #array(offset: number): Read {
    const items: Read[] = [];
    this.#items("]", () => {
      const read = this.#value();
      if (read !== undefined) return void items.push(read);
      this.#fault("value expected");
      return this.#skip("]");
    });
    return {
      value: items.map(({ value }) => value),
      root: { offset, children: items.map(({ root }) => root) },
    };
  }

  /** Reads items up to the end of a list, with commas between them and perhaps one behind them. */
  #items(end: "}" | "]", item: () => void): void {
    this.#next();
    for (let isFirst = true; this.#kind !== end && this.#kind !== "end"; isFirst = false) {
      if (isFirst === (this.#kind === ",")) this.#fault(`${isFirst ? "value" : "comma"} expected`);
      if (this.#takes(",") && this.#kind === end) break;
      item();
    }
    if (!this.#takes(end)) this.#fault(`close ${end === "}" ? "brace" : "bracket"} expected`);
  }

  #takes(kind: Kind): boolean {
    if (this.#kind !== kind) return false;
    this.#next();
    return true;
  }

  /** To where the list may go on. */
  #skip(end: Kind): void {
    while (this.#kind !== end && this.#kind !== "," && this.#kind !== "end") this.#next();
  }

  #literal(): unknown {
    try {
      return JSON.parse(this.#token);
    } catch {
      return ""; // its fault is noted
    }
  }

  #fault(message: string): void {
    this.faults.push({ message, offset: this.#offset });
  }

  /** Goes on to the next token that can stand in JSON; others are faults. */
  #next(): void {
    for (;;) {
      const start = (TRIVIA.lastIndex = this.#offset + this.#token.length);
      TRIVIA.test(this.#text);
      const offset = Math.max(start, TRIVIA.lastIndex);
      TOKEN.lastIndex = offset;
      const [token = "", sign, string, number, comment] = TOKEN.exec(this.#text) ?? [];
      this.#token = token;
      this.#offset = offset;
      this.#kind = token === "" ? "end" : ((sign as Kind | undefined) ?? "word");
      if (string !== undefined) this.#kind = "string";
      if (number !== undefined) this.#kind = "number";
      if (token === "" || sign !== undefined) return;
      const fault = comment === undefined ? faultOf(this.#kind, token) : COMMENT;
      if (fault !== undefined) this.#fault(fault);
      if (fault !== SYMBOL && fault !== COMMENT) return;
    }
  }
}

const SYMBOL = "invalid symbol";
const COMMENT = "unexpected end of comment";

/** What is wrong with a text, a number or a word. */
function faultOf(kind: Kind, token: string): string | undefined {
  if (kind === "word") return /^(true|false|null)$/.test(token) ? undefined : SYMBOL;
  if (kind === "number") return /[.eE+-]$/.test(token) ? "unexpected end of number" : undefined;
  if (!/^"(?:\\[^]|[^"\\])*"$/.test(token)) return "unexpected end of string";
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (/[\0-\x1f]/.test(token.replaceAll(/\\[^]/g, ""))) return "invalid character";
  const escapes = token.match(/\\(?:u[\da-fA-F]{0,4}|[^])/g) ?? [];
  const wrong = escapes.findLast((each) => !/^\\(?:["\\/bfnrt]|u[\da-fA-F]{4})$/.test(each));
  if (wrong === undefined) return undefined;
  return wrong[1] === "u" ? "invalid unicode" : "invalid escape character";
}
