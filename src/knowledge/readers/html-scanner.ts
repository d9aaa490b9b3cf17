// HTML as a sequence of tags and texts, in the order of the page, without a tree.
//
//   HSC1. Every opened element is closed, in order, as in browsers if that is possible without a tree: with missing end
//         tags, unclosed comments and scripts, and stray end tags.
//   HSC2. Time is linear in the length of the page for any content. Memory is linear too, and well below the page's
//         length.
import { HTML_ELEMENTS, type ElementRules } from "./html-elements.ts";

export type HtmlHandler = {
  /** `source` has the attributes as written; empty without attributes. */
  readonly open: (name: string, source: string) => void;
  readonly close: (name: string) => void;
  /** Text as written, with its character references. `raw` is the enclosing raw text element, such as `script`. */
  readonly text: (source: string, raw?: string) => void;
};

type Kind = { readonly name: string; readonly rules: ElementRules; open: number };

const GREATER_THAN = 0x3e;
const EQUALS = 0x3d;
const SLASH = 0x2f;
const QUOTES = new Set([0x22, 0x27]);
const INLINE: ElementRules = {};
const PARAGRAPH = new Set(["p"]);
/** Maximum number of different names in one page. HTML has less than 150. */
const MAX_NAMES = 1_000;
/** Number of open elements searched for one to close. Real pages need no more. */
const MAX_LOOK_UP = 32;
const TAG_NAME = /[^\s/>]*/y;
/** An attribute's name, and its value in one of three forms. */
const ATTRIBUTE = /([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/g;

/** Reads a page piece by piece. */
export class HtmlScanner {
  readonly #html: string;
  readonly #handler: HtmlHandler;
  readonly #stack: Kind[] = [];
  readonly #kinds = new Map<string, Kind>();
  #at = 0;
  /** Index of the innermost `svg` or `math` in the stack. */
  #foreign = -1;
  /** The kind of `p`, after its first occurrence. */
  #paragraph: Kind | undefined;

  constructor(html: string, handler: HtmlHandler) {
    this.#html = html;
    this.#handler = handler;
  }

  /** Continues reading for about this many characters. Returns false at the end of the page. */
  advance(characters: number): boolean {
    const until = Math.min(this.#html.length, this.#at + characters);
    while (this.#at < until) this.#next();
    if (this.#at < this.#html.length) return true;
    this.#closeTo(0);
    return false;
  }

  /** Reads one text and the tag or comment after it. */
  #next(): void {
    const html = this.#html;
    const start = this.#at;
    let tag = html.indexOf("<", start);
    while (tag >= 0 && !isMarkup(html.charCodeAt(tag + 1))) tag = html.indexOf("<", tag + 1);
    if (tag < 0) tag = html.length;
    if (tag > start) this.#text(html.slice(start, tag));
    this.#at = tag === html.length ? tag : this.#markup(tag);
  }

  /** Returns the position after a tag or a comment. */
  #markup(start: number): number {
    const html = this.#html;
    const next = html.charCodeAt(start + 1);
    if (isLetter(next)) return this.#startTag(start);
    if (next === SLASH && isLetter(html.charCodeAt(start + 2))) return this.#endTag(start);
    if (html.startsWith("<!--", start)) return endOfComment(html, start + 4);
    return after(html.indexOf(">", start), 1, html);
  }

  #startTag(start: number): number {
    const html = this.#html;
    const kind = this.#kindAt(start + 1);
    const end = this.#tagEnd(TAG_NAME.lastIndex);
    if (end < 0) return html.length;
    const isClosed = html.charCodeAt(end - 1) === SLASH;
    const source = html.slice(TAG_NAME.lastIndex, isClosed ? end - 1 : end).trimStart();
    if (kind === undefined) return end + 1;
    this.#makeRoom(kind);
    this.#handler.open(kind.name, source);
    const isForeign = this.#foreign >= 0;
    if (kind.rules.isVoid === true || (isClosed && (isForeign || kind.rules.isForeign === true))) {
      this.#handler.close(kind.name);
      return end + 1;
    }
    this.#push(kind);
    return isForeign ? end + 1 : this.#raw(kind, end + 1);
  }

  /** Reads the text of a raw text element, such as a script. */
  #raw({ name, rules: { rawEnd } }: Kind, start: number): number {
    if (rawEnd === undefined) return start;
    const html = this.#html;
    rawEnd.lastIndex = start;
    const end = rawEnd.exec(html)?.index ?? html.length;
    if (end > start) this.#handler.text(html.slice(start, end), name);
    return end;
  }

  #endTag(start: number): number {
    const kind = this.#kindAt(start + 2);
    const end = this.#tagEnd(TAG_NAME.lastIndex);
    if (end < 0) return this.#html.length;
    if (kind === undefined) return end + 1;
    if (kind.open > 0) this.#closeKind(kind);
    else if (kind.name === "br") {
      this.#handler.open("br", "");
      this.#handler.close("br");
    }
    return end + 1;
  }

  /** Closes the innermost element of a kind, past other elements; an inline one only within its block. */
  #closeKind(kind: Kind): void {
    const isBlock = kind.rules.isBlock === true;
    for (let index = this.#stack.length - 1, looked = 0; index >= 0; index--) {
      const each = this.#stack[index];
      if (each === kind) return this.#closeTo(index);
      if (!isBlock && (each?.rules.isBlock === true || ++looked > MAX_LOOK_UP)) return;
    }
  }

  /** Closes the elements that a starting element ends: an open paragraph, the previous item, the head of the page. */
  #makeRoom({ rules }: Kind): void {
    if (this.#foreign >= 0) {
      if (rules.isHtmlOnly === true && !this.#isOpen("foreignobject")) this.#closeTo(this.#foreign);
      else return;
    }
    if (rules.isOfHead !== true) this.#leaveHead();
    const { closes, endsParagraph } = rules;
    if (endsParagraph === true && (this.#paragraph?.open ?? 0) > 0) this.#closeNearest(PARAGRAPH);
    if (closes === undefined) return;
    while (this.#closeNearest(closes));
  }

  #closeNearest(names: ReadonlySet<string>): boolean {
    const lowest = Math.max(0, this.#stack.length - MAX_LOOK_UP);
    for (let index = this.#stack.length - 1; index >= lowest; index--) {
      const kind = this.#stack[index];
      if (kind === undefined || kind.rules.isBarrier === true) return false;
      if (names.has(kind.name)) {
        this.#closeTo(index);
        return true;
      }
    }
    return false;
  }

  #text(source: string): void {
    if (this.#stack.at(-1)?.name === "head" && /\S/.test(source)) this.#leaveHead();
    this.#handler.text(source);
  }

  #leaveHead(): void {
    if (this.#stack.at(-1)?.name === "head") this.#closeTo(this.#stack.length - 1);
  }

  #push(kind: Kind): void {
    if (kind.rules.isForeign === true && this.#foreign < 0) this.#foreign = this.#stack.length;
    kind.open++;
    this.#stack.push(kind);
  }

  #closeTo(length: number): void {
    while (this.#stack.length > length) {
      const kind = this.#stack.pop();
      if (kind === undefined) return;
      kind.open--;
      this.#handler.close(kind.name);
    }
    if (length <= this.#foreign) this.#foreign = -1;
  }

  #isOpen(name: string): boolean {
    return (this.#kinds.get(name)?.open ?? 0) > 0;
  }

  /** Returns the kind of the element whose name begins here; undefined beyond the limit of names. */
  #kindAt(start: number): Kind | undefined {
    TAG_NAME.lastIndex = start;
    TAG_NAME.test(this.#html);
    const source = this.#html.slice(start, TAG_NAME.lastIndex);
    return this.#kinds.get(source) ?? this.#newKind(source);
  }

  #newKind(source: string): Kind | undefined {
    if (this.#kinds.size >= MAX_NAMES || source.length > 100) return undefined;
    const name = source.toLowerCase();
    const kind = this.#kinds.get(name) ?? {
      name,
      rules: HTML_ELEMENTS.get(name) ?? INLINE,
      open: 0,
    };
    this.#kinds.set(name, kind).set(source, kind);
    if (name === "p") this.#paragraph = kind;
    return kind;
  }

  /** Returns the end of a tag: a `>` outside of attribute values. -1 for a tag without an end. */
  #tagEnd(start: number): number {
    const html = this.#html;
    let isValue = false;
    for (let at = start; at < html.length; at++) {
      const code = html.charCodeAt(at);
      if (code === GREATER_THAN) return at;
      if (isValue && QUOTES.has(code)) {
        at = html.indexOf(html.charAt(at), at + 1);
        if (at < 0) return -1;
        isValue = false;
      } else if (code === EQUALS) isValue = true;
      else if (code > 0x20) isValue = false;
    }
    return -1;
  }
}

/**
 * Returns the value of an attribute, as written; empty for an attribute without a value; undefined for a missing one.
 */
export function attributeIn(source: string, name: string): string | undefined {
  if (!source.toLowerCase().includes(name)) return undefined;
  for (const [, found = "", double, single, plain] of source.matchAll(ATTRIBUTE))
    if (found.toLowerCase() === name) return double ?? single ?? plain ?? "";
  return undefined;
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** True if `<` before this character begins a tag, a comment or a declaration. */
function isMarkup(code: number): boolean {
  return isLetter(code) || code === SLASH || code === 0x21 || code === 0x3f;
}

function endOfComment(html: string, start: number): number {
  const [short] = /^-?>/.exec(html.slice(start, start + 2)) ?? [];
  if (short !== undefined) return start + short.length;
  const end = /--!?>/g;
  end.lastIndex = start;
  return end.exec(html) === null ? html.length : end.lastIndex;
}

function after(index: number, length: number, html: string): number {
  return index < 0 ? html.length : index + length;
}
