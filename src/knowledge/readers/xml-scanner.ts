// Tags and texts of the XML of spreadsheets, which is millions of tiny elements.
//
// The general parser of `markup.ts` does the same with more calls for each element.
import { EngineError } from "../../base/error.ts";
import { decodeEntities } from "../../base/markup-entities.ts";
import type { Attributes, MarkupHandler } from "./markup.ts";
import type { ReadingWork } from "./reading-work.ts";

const PIECE_LENGTH = 32 * 1024;
/** Maximum length of a tag, a comment or a section. */
const MAX_TAG = 1_000_000;
const MAX_ATTRIBUTES = 1_000;
const MAX_ENTITY = 12;
const NONE: Attributes = {};

/** Yields after each piece of the text, as `markupPieces` does. Names come without their prefixes. */
export async function* scanXml(
  texts: Iterable<string>,
  handler: MarkupHandler,
  work: ReadingWork,
): AsyncGenerator<undefined> {
  const scanner = new XmlScanner(handler, work);
  for (const text of texts)
    for (let at = 0; at < text.length; at += PIECE_LENGTH) {
      const piece = text.slice(at, at + PIECE_LENGTH);
      scanner.write(piece);
      work.spend(piece.length);
      await work.pause();
      yield undefined;
    }
  scanner.end();
  yield undefined;
}

class XmlScanner {
  readonly #handler: MarkupHandler;
  readonly #work: ReadingWork;
  #text = "";
  #depth = 0;

  constructor(handler: MarkupHandler, work: ReadingWork) {
    this.#handler = handler;
    this.#work = work;
  }

  write(piece: string): void {
    const text = this.#text + piece;
    let at = 0;
    for (;;) {
      const start = text.indexOf("<", at);
      if (start === -1) {
        at = this.#texts(text, at, false);
        break;
      }
      if (start > at) this.#say(text.slice(at, start));
      const end =
        text.charCodeAt(start + 1) === 33 ? this.#section(text, start) : this.#tag(text, start);
      if (end === -1) {
        at = start;
        break;
      }
      at = end;
    }
    this.#text = text.slice(at);
    if (this.#text.length > MAX_TAG)
      throw new EngineError(
        "limit_exceeded",
        `an element of the document has a tag of more than ${MAX_TAG} characters, which is too long to read`,
      );
  }

  end(): void {
    if (!this.#text.startsWith("<")) this.#texts(this.#text, 0, true);
    this.#text = "";
  }

  /** Hands on a text up to an entity that may be incomplete. */
  #texts(text: string, from: number, isEnd: boolean): number {
    const entity = isEnd ? -1 : text.lastIndexOf("&");
    const isOpen =
      entity >= from && entity > text.length - MAX_ENTITY && !text.includes(";", entity);
    const end = isOpen ? entity : text.length;
    if (end > from) this.#say(text.slice(from, end));
    return end;
  }

  #say(text: string): void {
    this.#handler.text(text.includes("&") ? decodeEntities(text) : text);
  }

  /** Reads a comment, a `CDATA` or a declaration. Returns the position after it; -1 if it is incomplete. */
  #section(text: string, start: number): number {
    if (text.startsWith("<!--", start)) return after(text, "-->", start + 4);
    if (text.startsWith("<![CDATA[", start)) {
      const end = text.indexOf("]]>", start + 9);
      if (end === -1) return -1;
      this.#handler.text(text.slice(start + 9, end));
      return end + 3;
    }
    // A mark of a comment or of `CDATA` may be incomplete.
    if (text.length < start + 9) return -1;
    const end = text.indexOf(">", start);
    const inner = text.indexOf("[", start);
    return inner === -1 || inner > end ? after(text, ">", start) : after(text, "]>", inner);
  }

  /** Reads a tag. Returns the position after it; -1 if it is incomplete. */
  #tag(text: string, start: number): number {
    const first = text.charCodeAt(start + 1);
    if (first === 63) return after(text, "?>", start + 2);
    if (first === 47) {
      const end = text.indexOf(">", start);
      if (end === -1) return -1;
      if (this.#depth > 0) this.#depth--;
      this.#handler.close(localName(text.slice(start + 2, end).trimEnd()));
      return end + 1;
    }
    let at = start + 1;
    while (isNamePart(text.charCodeAt(at))) at++;
    const nameEnd = at;
    let attributes: Record<string, string> | undefined;
    let count = 0;
    for (;;) {
      while (isBlank(text.charCodeAt(at))) at++;
      if (at >= text.length) return -1;
      const code = text.charCodeAt(at);
      if (code === 62 || code === 47) break;
      const equals = text.indexOf("=", at);
      // A tag with text that is no attribute is skipped.
      if (equals === -1) return after(text, ">", at);
      const name = text.slice(at, equals).trimEnd();
      let quote = equals + 1;
      while (isBlank(text.charCodeAt(quote))) quote++;
      const close = text.indexOf(text.charAt(quote) === "'" ? "'" : '"', quote + 1);
      if (close === -1) return -1;
      const value = text.slice(quote + 1, close);
      (attributes ??= {})[name] = value.includes("&") ? decodeEntities(value) : value;
      if (++count > MAX_ATTRIBUTES)
        throw new EngineError(
          "limit_exceeded",
          `an element of the document has more than ${MAX_ATTRIBUTES} attributes, which is too many to read`,
        );
      at = close + 1;
    }
    const end = text.indexOf(">", at);
    if (end === -1) return -1;
    const name = localName(text.slice(start + 1, nameEnd));
    this.#work.enter(this.#depth + 1);
    this.#handler.open(name, attributes ?? NONE);
    if (text.charCodeAt(end - 1) === 47) this.#handler.close(name);
    else this.#depth++;
    return end + 1;
  }
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? -1 : at + mark.length;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** True within a name: up to a blank, `/`, `>` or the end. */
function isNamePart(code: number): boolean {
  return code > 32 && code !== 47 && code !== 62;
}

function localName(name: string): string {
  const colon = name.indexOf(":");
  return colon === -1 ? name : name.slice(colon + 1);
}
