// Marks of a page's content that carry their text (`ActualText`), which the library for PDF leaves out.
//
//   - Programs that print give a mark where glyphs and letters differ: joined and reordered letters, mirrored brackets.
//   - Names and number of marks are compared with the library's. A page with another sequence keeps its glyphs' text.
import type { ReadingWork } from "./reading-work.ts";
import { named, resourcesOf } from "./pdf-forms.ts";
import { decodedContent, pdfObjects, type PdfObjects } from "./pdf-streams.ts";

/** Begin of marked content. */
export type ContentMark = {
  readonly tag: string;
  /** Text of the marked content. */
  readonly actual?: string;
};

/** Maximum length of the content of one page, with its forms. */
const MAX_CONTENT = 32 * 1024 * 1024;
const MAX_DEPTH = 20;

/** Reads the marks of pages, for pages that have marks. */
export class PdfContent {
  readonly #bytes: Uint8Array;
  readonly #work: ReadingWork;
  #objects: PdfObjects | undefined;

  constructor(bytes: Uint8Array, work: ReadingWork) {
    this.#bytes = bytes;
    this.#work = work;
  }

  /** Returns the marks of a page in the order of its content; undefined for content of another form. */
  async marksOf(page: number): Promise<readonly ContentMark[] | undefined> {
    this.#objects ??= await pdfObjects(this.#bytes, this.#work);
    const { byNumber } = this.#objects;
    const dictionary = byNumber.get(String(page))?.at(-1)?.text;
    if (dictionary === undefined) return undefined;
    const contents = this.#contentsOf(dictionary);
    if (contents === undefined) return undefined;
    const reading = new MarkReading(this.#objects, this.#work);
    const resources = this.#resourcesOf(dictionary);
    return reading.read(contents, resources, 0) ? reading.marks : undefined;
  }

  /** Returns the dictionary with the resources of a page: its own, or those of the pages above it. */
  #resourcesOf(dictionary: string): string {
    let own = dictionary;
    for (let step = 0; step < MAX_DEPTH && !own.includes("/Resources"); step++) {
      const parent = /\/Parent\s+(\d{1,10})\s+\d{1,5}\s+R/.exec(own)?.[1] ?? "";
      own = this.#objects?.byNumber.get(parent)?.at(-1)?.text ?? "/Resources";
    }
    return own;
  }

  #contentsOf(dictionary: string): string | undefined {
    const { byNumber, streams } = this.#objects ?? {};
    const found = /\/Contents\s*(?:\[([^\]]*)\]|(\d{1,10})\s+\d{1,5}\s+R)/.exec(dictionary);
    if (found === null) return undefined;
    let list = found[1];
    if (list === undefined && streams?.has(found[2] ?? "") !== true)
      list = byNumber?.get(found[2] ?? "")?.at(-1)?.text;
    const numbers = [...(list ?? `${found[2]} 0 R`).matchAll(/(\d{1,10})\s+\d{1,5}\s+R/g)];
    const pieces: string[] = [];
    let length = 0;
    for (const [, number = ""] of numbers) {
      const stream = streams?.get(number);
      const content = stream === undefined ? undefined : decodedContent(this.#bytes, stream);
      if (content === undefined || (length += content.length) > MAX_CONTENT) return undefined;
      pieces.push(content);
    }
    return pieces.join("\n");
  }
}

class MarkReading {
  readonly marks: ContentMark[] = [];
  readonly #objects: PdfObjects;
  readonly #work: ReadingWork;
  #length = 0;

  constructor(objects: PdfObjects, work: ReadingWork) {
    this.#objects = objects;
    this.#work = work;
  }

  /** Returns false for content that cannot be followed. */
  read(content: string, dictionary: string, depth: number): boolean {
    this.#length += content.length;
    if (this.#length > MAX_CONTENT || depth > MAX_DEPTH) return false;
    this.#work.spend(content.length);
    let forms: ReadonlyMap<string, string> | undefined;
    const tokens = new Tokens(content);
    for (let word = tokens.next(); word !== undefined; word = tokens.next()) {
      if (word === "BMC") this.marks.push({ tag: tokens.nameBefore() });
      else if (word === "BDC") this.marks.push(markOf(tokens));
      else if (word === "ID") tokens.skipImage();
      else if (word === "Do") {
        forms ??= this.#formsOf(dictionary);
        const number = forms.get(tokens.nameBefore());
        if (number === undefined) return false;
        if (!this.#readForm(number, dictionary, depth)) return false;
      }
    }
    return true;
  }

  #readForm(number: string, outer: string, depth: number): boolean {
    const { streams, bytes } = this.#objects;
    const stream = streams.get(number);
    if (stream === undefined) return false;
    if (!/\/Subtype\s*\/Form\b/.test(stream.head)) return true;
    const content = decodedContent(bytes, stream);
    const resources = stream.head.includes("/Resources") ? stream.head : outer;
    return content !== undefined && this.read(content, resources, depth + 1);
  }

  #formsOf(dictionary: string): ReadonlyMap<string, string> {
    const own = resourcesOf(dictionary, this.#objects.byNumber);
    return new Map(named(own));
  }
}

function markOf(tokens: Tokens): ContentMark {
  const [tag, properties] = tokens.markBefore();
  const found = /\/ActualText\s*(<[0-9A-Fa-f\s]*>|\()/.exec(properties);
  if (found === null) return { tag };
  const source = found[1] ?? "";
  const start = found.index + found[0].length;
  const actual =
    source === "("
      ? literalText(properties.slice(start, endOfString(properties, start) - 1))
      : decoded(hexBytes(source));
  return { tag, actual };
}

function hexBytes(source: string): string {
  const digits = source.replaceAll(/[^0-9A-Fa-f]/g, "");
  return digits.replaceAll(/..?/g, (pair) =>
    String.fromCharCode(Number.parseInt(pair.padEnd(2, "0"), 16)),
  );
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

function literalText(source: string): string {
  return decoded(
    source.replaceAll(/\\(?:([0-7]{1,3})|\r\n?|\n|([\s\S]))/g, (_, octal?: string, one?: string) =>
      octal === undefined
        ? (ESCAPES[one ?? ""] ?? one ?? "")
        : String.fromCharCode(Number.parseInt(octal, 8) & 0xff),
    ),
  );
}

/** Decodes a text string: UTF-16 or UTF-8 with its mark, or else single bytes. */
function decoded(bytes: string): string {
  const encoding = bytes.startsWith("\u00fe\u00ff")
    ? "utf-16be"
    : bytes.startsWith("\u00ff\u00fe")
      ? "utf-16le"
      : bytes.startsWith("\u00ef\u00bb\u00bf")
        ? "utf-8"
        : undefined;
  if (encoding === undefined) return bytes;
  return new TextDecoder(encoding).decode(Uint8Array.from(bytes, (each) => each.charCodeAt(0)));
}

/** Returns the place after the closing parenthesis of a string whose content begins at `at`. */
function endOfString(text: string, at: number): number {
  const parenthesis = /[\\()]/g;
  parenthesis.lastIndex = at;
  let depth = 1;
  for (let found = parenthesis.exec(text); found !== null; found = parenthesis.exec(text)) {
    if (found[0] === "\\") parenthesis.lastIndex++;
    else if (found[0] === "(") depth++;
    else if (--depth === 0) return parenthesis.lastIndex;
  }
  return text.length;
}

const WORD = /[^\s\0/[\]<>(){}%]+/y;
const SPACE = /[\s\0]+/y;
const NAME = /\/([^\s\0/[\]<>(){}%]*)/y;

/** Operators of a content stream, with the place of the operands before them. */
class Tokens {
  readonly #content: string;
  #at = 0;
  /** Start of the operands of the next operator. */
  #operands = 0;
  #next = 0;
  #end = 0;

  constructor(content: string) {
    this.#content = content;
  }

  /** Returns the next operator. */
  next(): string | undefined {
    const content = this.#content;
    this.#operands = this.#next;
    while (this.#at < content.length) {
      const letter = content[this.#at] ?? "";
      if (letter === "(") this.#at = endOfString(content, this.#at + 1);
      else if (letter === "%") this.#at = after(content, /[\r\n]/g, this.#at);
      else if (letter === "/") this.#match(NAME);
      else if (letter === "<" && content[this.#at + 1] !== "<")
        this.#at = after(content, />/g, this.#at);
      else if (!this.#match(SPACE)) {
        const start = this.#at;
        if (!this.#match(WORD)) this.#at++;
        else if (/[A-Za-z'"]/.test(letter)) {
          const word = content.slice(start, this.#at);
          if (word === "true" || word === "false" || word === "null") continue;
          this.#end = start;
          this.#next = this.#at;
          return word;
        }
      }
    }
    return undefined;
  }

  /** Returns the name before the operator. */
  nameBefore(): string {
    return /\/([^\s\0/[\]<>(){}%]*)\s*$/.exec(this.#before())?.[1] ?? "";
  }

  /** Returns the tag before the operator, and the source of its properties. */
  markBefore(): readonly [tag: string, properties: string] {
    const before = this.#before();
    const found = /\/([^\s\0/[\]<>(){}%]*)/.exec(before);
    if (found === null) return ["", ""];
    return [found[1] ?? "", before.slice(found.index + found[0].length)];
  }

  /** Skips the bytes of an inline image. */
  skipImage(): void {
    this.#at = after(this.#content, /[\s\0]EI(?=[\s\0]|$)/g, this.#at);
    this.#next = this.#at;
  }

  #before(): string {
    return this.#content.slice(Math.max(this.#operands, this.#end - MAX_OPERANDS), this.#end);
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#content)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }
}

/** Maximum length of the operands of a mark. */
const MAX_OPERANDS = 64 * 1024;

function after(text: string, pattern: RegExp, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text) === null ? text.length : pattern.lastIndex;
}
