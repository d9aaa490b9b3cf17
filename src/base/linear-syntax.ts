// Parses regular expressions of JavaScript, and RE2's additions: `(?i)`, `\A`, `\z`, `(?P<name>`, `\pL`, `[[:alpha:]]`,
// `[]a]`, `\Q…\E`, octal codes.
import {
  characterSet,
  characterSource,
  CLASS_NAMES,
  namedSource,
  asciiSet,
  nativeSet,
  propertySet,
  type CharacterSet,
} from "./linear-characters.ts";

/** A condition between two characters. */
export type Edge =
  | "start"
  | "end"
  | "line-start"
  | "line-end"
  | "after-newline"
  | "before-newline"
  | "word"
  | "no-word";

/**
 * Language of a pattern. In JavaScript, `.`, `^` and `$` know four ends of lines and `\s` has all Unicode white space; in
 * RE2 the newline ends a line and classes are of ASCII.
 */
export type Dialect = "javascript" | "re2";

/** `size`: cost of all steps of its program, per character of a text. */
export type Expression = { readonly size: number } & (
  | { readonly kind: "one"; readonly set: CharacterSet }
  | { readonly kind: "edge"; readonly edge: Edge }
  | { readonly kind: "sequence" | "choice"; readonly items: readonly Expression[] }
  | {
      readonly kind: "repeat";
      readonly item: Expression;
      readonly least: number;
      readonly most: number;
    }
);

const MAX_DEPTH = 200;

const REPEAT = /([*+?])|\{(\d+)(,(\d*))?\}/y;
const GROUP = /\((?:\?(?:P?<[\w$]+>|([imsU]*)(?:-([imsU]+))?(:|\))))?/y;
const CODE =
  /\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\(?:u\{([0-9a-f]+)\}|x\{([0-9a-f]+)\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/iy;
const PROPERTY = /\\([pP])(?:\{(\^?)([^}]*)\}|([A-Z]))/y;
const NAMED_CLASS = new RegExp(String.raw`\[:(\^?)(${CLASS_NAMES.join("|")}):\]`, "y");
const SET = /\\[dDwWsS]/y;
const OCTAL = /\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/y;
const QUOTED = /\\Q([^]*?)(?:\\E|$)/y;
/** A `]` at the start of a class, if another `]` closes the class. */
const BRACKET = /\](?=(?:\\[^]|[^\\[\]])*\])/y;
const CONTROL: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, a: 7 };

/** Parses a pattern. Throws for an invalid regular expression, a look-around or a back reference. */
export function readPattern(pattern: string, dialect: Dialect = "javascript"): Expression {
  const reader = new Reader(pattern, dialect);
  const expression = reader.choice();
  if (!reader.isAtEnd) throw new SyntaxError("a closing bracket has no opening one");
  return expression;
}

class Reader {
  readonly #text: string;
  readonly #isRe2: boolean;
  #at = 0;
  #depth = 0;
  #ignoreCase = false;
  #isMultiline = false;
  #dotIsAll = false;

  constructor(text: string, dialect: Dialect) {
    this.#text = text;
    this.#isRe2 = dialect === "re2";
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  choice(): Expression {
    const items = [this.#sequence()];
    while (this.#eat("|")) items.push(this.#sequence());
    return items.length === 1 && items[0] !== undefined ? items[0] : many("choice", items);
  }

  #sequence(): Expression {
    const items: Expression[] = [];
    while (!this.isAtEnd && !this.#is("|") && !this.#is(")")) {
      const quoted = this.#take(QUOTED)?.[1];
      if (quoted !== undefined)
        for (const letter of quoted) items.push(this.#literal(letter.codePointAt(0) ?? 0));
      const item = quoted === undefined ? this.#item() : quoted === "" ? undefined : items.pop();
      if (item !== undefined) items.push(this.#repeated(item));
    }
    return many("sequence", items);
  }

  /** Returns undefined for flags, which are not an item. */
  #item(): Expression | undefined {
    if (this.#take(REPEAT) !== undefined)
      throw new SyntaxError("a quantifier has no expression to repeat");
    if (this.#is("(")) return this.#group();
    if (this.#eat("[")) return this.#class();
    if (this.#eat("^")) return edge(this.#isMultiline ? this.#lineStart : "start");
    if (this.#eat("$")) return edge(this.#isMultiline ? this.#lineEnd : "end");
    if (this.#eat("."))
      return one(this.#set(this.#dotIsAll ? "[^]" : this.#isRe2 ? "[^\\n]" : "."));
    if (this.#eat("\\A")) return edge("start");
    if (this.#eat("\\z")) return edge("end");
    if (this.#eat("\\b")) return edge("word");
    if (this.#eat("\\B")) return edge("no-word");
    const property = this.#property();
    if (property !== undefined) return one(property);
    const set = this.#take(SET)?.[0];
    if (set === undefined) return this.#literal(this.#character());
    return one(this.#isRe2 ? asciiSet(set, this.#ignoreCase) : this.#set(set));
  }

  get #lineStart(): Edge {
    return this.#isRe2 ? "after-newline" : "line-start";
  }

  get #lineEnd(): Edge {
    return this.#isRe2 ? "before-newline" : "line-end";
  }

  #literal(point: number): Expression {
    return one(characterSet(point, this.#ignoreCase));
  }

  #group(): Expression | undefined {
    const found = this.#take(GROUP);
    if (found === undefined || this.#is("?"))
      throw new SyntaxError("a group of this kind cannot be read");
    const [, on, off, end] = found;
    const before = [this.#ignoreCase, this.#isMultiline, this.#dotIsAll] as const;
    for (const [flags, isOn] of [
      [on, true],
      [off, false],
    ] as const) {
      if (flags?.includes("i") === true) this.#ignoreCase = isOn;
      if (flags?.includes("m") === true) this.#isMultiline = isOn;
      if (flags?.includes("s") === true) this.#dotIsAll = isOn;
    }
    if (end === ")") return undefined;
    if (++this.#depth > MAX_DEPTH) throw new SyntaxError("its groups are nested too deep");
    const inside = this.choice();
    if (!this.#eat(")")) throw new SyntaxError("a group is not closed");
    this.#depth--;
    [this.#ignoreCase, this.#isMultiline, this.#dotIsAll] = before;
    return inside;
  }

  #repeated(item: Expression): Expression {
    const found = this.#take(REPEAT);
    if (found === undefined) return item;
    const [, sign, from, to, upTo] = found;
    const least = sign === undefined ? Number(from) : sign === "+" ? 1 : 0;
    const most =
      sign === undefined
        ? to === undefined
          ? least
          : upTo === undefined || upTo === ""
            ? Infinity
            : Number(upTo)
        : sign === "?"
          ? 1
          : Infinity;
    if (most < least) throw new SyntaxError("a repetition has its limits the wrong way round");
    // Greedy or lazy repetition does not affect the existence of a match.
    this.#eat("?");
    if (this.#take(REPEAT) !== undefined) throw new SyntaxError("a repetition is repeated");
    const optional = most === Infinity ? (least === 0 ? 1 : 0) : most - least;
    const size = 1 + least * Math.max(1, item.size) + optional * (item.size + 1);
    return { kind: "repeat", size, item, least, most };
  }

  /** Reads a class after its opening bracket. */
  #class(): Expression {
    const not = this.#eat("^") ? "^" : "";
    let source = this.#take(BRACKET) === undefined ? "" : String.raw`\]`;
    const others = new Set<CharacterSet>();
    while (!this.#eat("]")) {
      const named = this.#take(NAMED_CLASS);
      const set = named === undefined ? (this.#property() ?? this.#re2Set()) : undefined;
      if (set !== undefined) others.add(set);
      else if (named === undefined) source += this.#range();
      else if (named[1] === "^") others.add(this.#set(`[^${namedSource(named[2])}]`));
      else source += namedSource(named[2]);
    }
    if (this.#isRe2 && source === "" && others.size === 0)
      throw new SyntaxError("a class is not closed");
    if (others.size === 0) return one(this.#set(`[${not}${source}]`));
    const either = [this.#set(`[${source}]`), ...others];
    const isNot = not === "^";
    return one((point) => either.some((set) => set(point)) !== isNot, either.length);
  }

  #range(): string {
    const set = this.#take(SET)?.[0];
    if (set !== undefined) return set;
    const first = characterSource(this.#character(true));
    if (!this.#is("-") || this.#text[this.#at + 1] === "]") return first;
    this.#at++;
    const end = this.#take(SET)?.[0];
    return end === undefined
      ? `${first}-${characterSource(this.#character(true))}`
      : String.raw`${first}\-${end}`;
  }

  /** Class of RE2 within a class. */
  #re2Set(): CharacterSet | undefined {
    const set = this.#isRe2 ? this.#take(SET)?.[0] : undefined;
    return set === undefined ? undefined : asciiSet(set, this.#ignoreCase);
  }

  #property(): CharacterSet | undefined {
    const [all, letter = "", not = "", name = "", short = name] = this.#take(PROPERTY) ?? [];
    if (all === undefined) return undefined;
    const isNot = (letter === "P") !== (not !== "");
    return propertySet(isNot ? "P" : "p", short, this.#ignoreCase);
  }

  #set(source: string): CharacterSet {
    return nativeSet(source, this.#ignoreCase);
  }

  /** Reads one literal character, plain or as an escape. */
  #character(isInClass = false): number {
    const code = this.#take(CODE);
    if (code !== undefined) {
      const [, high, low, ...digits] = code;
      const point =
        high === undefined || low === undefined
          ? Number.parseInt(digits.find((each) => each !== undefined) ?? "", 16)
          : pairOf(high, low);
      if (point > 0x10ffff) throw new SyntaxError("a code point does not exist");
      return point;
    }
    const octal = this.#take(OCTAL)?.[1];
    if (octal !== undefined) return Number.parseInt(octal, 8);
    const isEscaped = this.#eat("\\");
    const point = this.#text.codePointAt(this.#at);
    if (point === undefined) throw new SyntaxError("it ends too early");
    const letter = String.fromCodePoint(point);
    this.#at += letter.length;
    if (!isEscaped) return point;
    if (isInClass && letter === "b") return 8;
    const control = letter === "c" ? this.#take(/[a-zA-Z]/y)?.[0] : undefined;
    if (control !== undefined) return control.charCodeAt(0) % 32;
    if (Object.hasOwn(CONTROL, letter)) return CONTROL[letter] ?? 0;
    if (point > 127 || /[0-9A-Za-z]/.test(letter))
      throw new SyntaxError(`\\${letter} is not known, or refers back`);
    return point;
  }

  #is(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  #eat(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#at += text.length;
    return true;
  }

  #take(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }
}

function many(kind: "sequence" | "choice", items: readonly Expression[]): Expression {
  const size = items.reduce((sum, item) => sum + item.size, kind === "choice" ? items.length : 0);
  return { kind, size, items };
}

/** `size`: number of sets tested for one character. */
function one(set: CharacterSet, size = 1): Expression {
  return { kind: "one", size, set };
}

function edge(kind: Edge): Expression {
  return { kind: "edge", size: 1, edge: kind };
}

function pairOf(high: string, low: string): number {
  const pair = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16));
  return pair.codePointAt(0) ?? 0;
}
