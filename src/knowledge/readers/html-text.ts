// Visible text of a page, in Markdown's form.
//
//   HTX1. Invisible content is not read: scripts, styles, comments, hidden elements.
//   HTX2. Other work runs between pieces of a page. The time for any page is linear in its length.
import { TextBuilder } from "../text-builder.ts";
import { BlockText } from "./block-text.ts";
import { attributeIn, HtmlScanner, type HtmlHandler } from "./html-scanner.ts";
import { shapeOf, type Shape } from "./html-shapes.ts";
import type { ReadingWork } from "./reading-work.ts";

export type HtmlTextOptions = {
  /** Maximum length of the text, in UTF-16 units. */
  readonly maxCharacters: number;
  /** Cuts a longer text without an error. @default false */
  readonly cuts?: boolean;
  /** Leaves out menus, controls and footers of the page. @default false */
  readonly withoutControls?: boolean;
  /** Puts blocks on lines without a blank line between them. @default false */
  readonly isTight?: boolean;
  /** Includes images by their alternative text. @default false */
  readonly images?: boolean;
  /** Base address of links, which adds their addresses. @default links are only text */
  readonly linksFrom?: URL;
  /**
   * Main part of the page: all `main` elements, or else the first of `main` and `article` with enough text. @default
   * "none": the whole page is read
   */
  readonly main?: "none" | "every" | "first";
};

export type HtmlText = {
  readonly text: string;
  readonly title?: string;
  /** Set if scripts may produce the visible content. */
  readonly hasScripts: boolean;
  /** Set if the text was cut. */
  readonly isCut: boolean;
};

const HIDING = /hidden|display|visibility|font-size/i;
const UNSEEN_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?![.\d]*[1-9]))/i;
/** Length of a piece read at once. */
const PIECE_LENGTH = 32 * 1024;
/** Minimum length of a page's main part; a shorter one does not count. */
const MIN_MAIN = 200;

/** Returns the visible text of a page. Throws `limit_exceeded` for too much text, unless it is cut. */
export async function htmlText(
  html: string,
  options: HtmlTextOptions,
  work: ReadingWork,
): Promise<HtmlText> {
  const page = new PageText(options, html.includes("&") ? await characterReferences() : undefined);
  const scanner = new HtmlScanner(html, page);
  for (let goesOn = true; goesOn && !page.isFull;) {
    goesOn = scanner.advance(PIECE_LENGTH);
    work.spend(PIECE_LENGTH);
    await work.pause();
  }
  return page.build();
}

/** Loads the library of the 2,000 character names. Pages without an `&` do not need it. */
export async function characterReferences(): Promise<Decode> {
  const { decodeHTML, decodeHTMLAttribute } = await import("entities/decode");
  return { text: (source) => decodeHTML(source), attribute: decodeHTMLAttribute };
}

export type Decode = {
  readonly text: (source: string) => string;
  readonly attribute: (source: string) => string;
};

/** Decoder for pages without character references. */
export const AS_WRITTEN: Decode = { text: (source) => source, attribute: (source) => source };

type Part = {
  readonly name: string;
  readonly start: number;
  /** Undefined while it is open. */
  end: number | undefined;
};

class PageText implements HtmlHandler {
  readonly #options: HtmlTextOptions;
  readonly #decode: Decode;
  readonly #builder: TextBuilder;
  readonly #text: BlockText;
  /** Outermost `main` and `article` elements, with the ends of their texts. */
  readonly #parts: Part[] = [];
  readonly #open = { main: 0, article: 0 };
  /** Number of open elements from the outermost skipped one on. */
  #beside = 0;
  readonly #lists: Array<{ readonly isOrdered: boolean; items: number }> = [];
  readonly #links: string[] = [];
  #verbatim: string[] | undefined;
  #title: string | undefined;
  #hasScripts = false;

  constructor(options: HtmlTextOptions, decode: Decode = AS_WRITTEN) {
    this.#options = options;
    this.#decode = decode;
    const { maxCharacters, cuts, isTight = false } = options;
    this.#builder = new TextBuilder({ maxCharacters: cuts === true ? Infinity : maxCharacters });
    this.#text = new BlockText(this.#builder, { isTight });
  }

  /** True if the text has reached the limit. */
  get isFull(): boolean {
    return this.#builder.length > this.#options.maxCharacters;
  }

  readonly open = (name: string, source: string): void => {
    if (name === "script") this.#hasScripts = true;
    const shape = shapeOf(name);
    if (this.#beside > 0 || this.#isBeside(name, source, shape)) {
      this.#beside++;
      return;
    }
    if (name === "main" || name === "article") this.#beginPart(name);
    this.#break(shape);
    if (shape.level !== undefined) this.#text.heading(shape.level);
    else this.#begin(name, source);
  };

  readonly close = (name: string): void => {
    if (this.#beside > 0) {
      this.#beside--;
      return;
    }
    const shape = shapeOf(name);
    if (shape.level !== undefined) this.#text.endHeading();
    else this.#end(name);
    this.#break(shape);
    if (name === "main" || name === "article") this.#endPart(name);
  };

  readonly text = (source: string, raw?: string): void => {
    if (raw === "title" && this.#title === undefined) {
      const title = this.#decode.text(source).replaceAll(/\s+/g, " ").trim();
      if (title !== "") this.#title = title;
    }
    if (this.#beside > 0 || raw === "title") return;
    const text = source.includes("&") ? this.#decode.text(source) : source;
    this.#write(text.includes("\0") ? text.replaceAll("\0", "") : text);
  };

  build(): HtmlText {
    this.#text.mark();
    const whole = this.#builder.build().text;
    const text = this.#mainOf(whole) ?? whole;
    const { maxCharacters } = this.#options;
    return {
      text: text.slice(0, maxCharacters),
      isCut: this.isFull || text.length > maxCharacters,
      hasScripts: this.#hasScripts,
      ...(this.#title === undefined ? undefined : { title: this.#title }),
    };
  }

  #write(text: string): void {
    if (this.#verbatim === undefined) this.#text.write(text);
    else this.#verbatim.push(text);
  }

  #begin(name: string, source: string): void {
    switch (name) {
      case "pre":
        this.#verbatim ??= [];
        break;
      case "ul":
      case "ol":
        this.#lists.push({ isOrdered: name === "ol", items: 0 });
        break;
      case "li":
        this.#beginItem();
        break;
      case "tr":
        this.#text.row();
        break;
      case "td":
      case "th":
        this.#text.cell();
        break;
      case "br":
        this.#verbatim?.push("\n");
        break;
      case "img":
        this.#image(source);
        break;
      case "a":
        this.#links.push(attributeIn(source, "href") ?? "");
    }
  }

  #end(name: string): void {
    switch (name) {
      case "pre":
        if (this.#verbatim !== undefined) this.#text.verbatim(this.#verbatim.join(""));
        this.#verbatim = undefined;
        break;
      case "ul":
      case "ol":
        this.#lists.pop();
        break;
      case "tr":
        this.#text.row();
        break;
      case "table":
        this.#text.endTable();
        break;
      case "a":
        this.#endLink();
    }
  }

  #isBeside(name: string, source: string, { isUnseen, isControl }: Shape): boolean {
    if (isUnseen === true) return true;
    if (this.#options.withoutControls === true) {
      // A footer of the page is skipped, a footer of an article is not.
      if (name === "footer") return this.#open.main + this.#open.article === 0;
      if (isControl === true || attributeIn(source, "role") === "navigation") return true;
    }
    if (source === "" || !HIDING.test(source)) return false;
    if (attributeIn(source, "hidden") !== undefined) return true;
    if (attributeIn(source, "aria-hidden")?.trim().toLowerCase() === "true") return true;
    return UNSEEN_STYLE.test(this.#decode.attribute(attributeIn(source, "style") ?? ""));
  }

  #beginPart(name: "main" | "article"): void {
    if (this.#open[name]++ > 0 || !this.#needsPart(name)) return;
    const start = this.#text.mark();
    this.#parts.push({ name, start, end: undefined });
  }

  #endPart(name: "main" | "article"): void {
    if (--this.#open[name] > 0) return;
    const part = this.#parts.findLast((each) => each.name === name && each.end === undefined);
    if (part === undefined) return;
    this.#text.mark();
    part.end = this.#builder.length;
  }

  #needsPart(name: "main" | "article"): boolean {
    const { main } = this.#options;
    if (main === "every") return name === "main";
    return main === "first" && !this.#parts.some((part) => part.name === name);
  }

  #mainOf(whole: string): string | undefined {
    const { main = "none" } = this.#options;
    const texts = (of: string): string[] =>
      this.#parts
        .filter(({ name }) => name === of)
        .map(({ start, end }) => whole.slice(start, end).trim());
    if (main === "every") return texts("main").join("\n\n").trim() || undefined;
    if (main === "none") return undefined;
    return [texts("main")[0], texts("article")[0]].find(
      (text) => text !== undefined && text.length >= MIN_MAIN,
    );
  }

  #beginItem(): void {
    const list = this.#lists.at(-1) ?? { isOrdered: false, items: 0 };
    list.items++;
    this.#text.item(this.#lists.length - 1, list.isOrdered ? `${list.items}.` : "-");
  }

  #image(source: string): void {
    if (this.#options.images !== true) return;
    const alt = this.#decode.attribute(attributeIn(source, "alt") ?? "").trim();
    if (alt !== "") this.#write(`[image: ${alt}]`);
  }

  #endLink(): void {
    const source = this.#links.pop() ?? "";
    const { linksFrom } = this.#options;
    const address = this.#decode.attribute(source).trim();
    if (linksFrom === undefined || address === "" || address.startsWith("#")) return;
    if (!URL.canParse(address, linksFrom.href)) return;
    const url = new URL(address, linksFrom.href);
    if (/^(https?|mailto):$/.test(url.protocol)) this.#write(` (${url.href})`);
  }

  #break({ breaks }: Shape): void {
    if (breaks === undefined || this.#verbatim !== undefined) return;
    this.#text.break(breaks === 2 && this.#lists.length === 0 ? 2 : 1);
  }
}
