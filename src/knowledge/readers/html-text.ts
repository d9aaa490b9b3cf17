// Visible text of a page, in Markdown's form.
//
//   HTX1. Invisible content is not read: scripts, styles, comments, hidden elements.
//   HTX2. Other work runs between pieces of a page. The time for any page is linear in its length.
import { TextBuilder } from "../text-builder.ts";
import type { DocumentLoss } from "../document-losses.ts";
import { BlockText } from "./block-text.ts";
import { HtmlFormula } from "./html-formula.ts";
import { htmlList, itemMark, type HtmlList } from "./html-lists.ts";
import { HtmlLosses } from "./html-losses.ts";
import { attributeIn, HtmlScanner, type HtmlHandler } from "./html-scanner.ts";
import { HtmlParts, type MainPart } from "./html-parts.ts";
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
  readonly main?: MainPart;
};

export type HtmlText = {
  readonly text: string;
  readonly title?: string;
  /** Set if scripts may produce the visible content. */
  readonly hasScripts: boolean;
  /** Set if the text was cut. */
  readonly isCut: boolean;
  /** Content of the page that the text does not have. */
  readonly losses?: readonly DocumentLoss[];
};

const HIDING = /hidden|display|visibility|font-size/i;
const UNSEEN_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?![.\d]*[1-9]))/i;
/** Length of a piece read at once. */
const PIECE_LENGTH = 32 * 1024;

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

class PageText implements HtmlHandler {
  readonly #options: HtmlTextOptions;
  readonly #decode: Decode;
  readonly #builder: TextBuilder;
  readonly #text: BlockText;
  readonly #parts: HtmlParts;
  /** Number of open elements from the outermost skipped one on. */
  #beside = 0;
  readonly #lists: HtmlList[] = [];
  readonly #losses: HtmlLosses;
  /** Open formula. */
  #formula: HtmlFormula | undefined;
  /** Open characters with readings. */
  #ruby: { text: string; reading: string; isReading: boolean } | undefined;
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
    this.#losses = new HtmlLosses(this.#builder);
    this.#parts = new HtmlParts(options.main ?? "none");
  }

  /** True if the text has reached the limit. */
  get isFull(): boolean {
    return this.#builder.length > this.#options.maxCharacters;
  }

  readonly open = (name: string, source: string): void => {
    if (name === "script") this.#hasScripts = true;
    const shape = shapeOf(name);
    if (this.#beside > 0) {
      this.#beside++;
      this.#losses.openInside(name);
      return;
    }
    if (this.#formula !== undefined && this.#beginSign(name, source)) return;
    const isHidden = this.#isHidden(source);
    if (isHidden || this.#isBeside(name, source, shape) || this.#isFormulaText(name, source)) {
      this.#beside++;
      this.#losses.skip(name, source, isHidden);
      return;
    }
    if (name === "main" || name === "article") this.#parts.begin(name, () => this.#text.mark());
    this.#break(shape);
    if (shape.level !== undefined) this.#text.heading(shape.level);
    else this.#begin(name, source);
  };

  readonly close = (name: string): void => {
    if (this.#beside > 0) {
      if (--this.#beside === 0) this.#losses.end();
      return;
    }
    if (this.#formula !== undefined) return this.#endSign(name);
    const shape = shapeOf(name);
    if (shape.level !== undefined) this.#text.endHeading();
    else this.#end(name);
    this.#break(shape);
    if (name === "main" || name === "article") this.#parts.end(name, () => this.#text.mark());
  };

  readonly text = (source: string, raw?: string): void => {
    if (raw === "title" && this.#title === undefined) {
      const title = this.#decode.text(source).replaceAll(/\s+/g, " ").trim();
      if (title !== "") this.#title = title;
    }
    if (this.#beside > 0) this.#losses.textInside(source, raw);
    if (this.#beside > 0 || raw === "title") return;
    const text = source.includes("&") ? this.#decode.text(source) : source;
    this.#write(text.includes("\0") ? text.replaceAll("\0", "") : text);
  };

  build(): HtmlText {
    this.#text.mark();
    this.#losses.page(this.#builder.length, this.#hasScripts);
    const { text: whole, losses } = this.#builder.build();
    const text = this.#parts.mainOf(whole) ?? whole;
    const { maxCharacters } = this.#options;
    return {
      text: text.slice(0, maxCharacters),
      isCut: this.isFull || text.length > maxCharacters,
      hasScripts: this.#hasScripts,
      ...(this.#title === undefined ? undefined : { title: this.#title }),
      ...(losses === undefined ? undefined : { losses }),
    };
  }

  #write(text: string): void {
    if (this.#verbatim !== undefined) this.#verbatim.push(text);
    else if (this.#formula !== undefined) this.#formula.text(text);
    else if (this.#ruby === undefined) this.#text.write(text);
    else if (this.#ruby.isReading) this.#ruby.reading += text;
    else this.#ruby.text += text;
  }

  #begin(name: string, source: string): void {
    switch (name) {
      case "pre":
        this.#verbatim ??= [];
        break;
      case "ul":
      case "ol":
        this.#lists.push(htmlList(name, source));
        break;
      case "li":
        this.#text.item(this.#lists.length - 1, itemMark(this.#lists.at(-1), source));
        break;
      case "table":
        this.#text.table();
        break;
      case "tr":
        this.#text.row();
        break;
      case "td":
      case "th":
        this.#text.cell({ rows: span(source, "rowspan"), columns: span(source, "colspan") });
        break;
      case "ruby":
        if (this.#verbatim === undefined)
          this.#ruby ??= { text: "", reading: "", isReading: false };
        break;
      case "rt":
        if (this.#ruby !== undefined) this.#ruby.isReading = true;
        break;
      case "math":
        this.#formula = new HtmlFormula();
        break;
      case "embed":
      case "frame":
        this.#losses.element(name, source);
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
        this.#text.endRow();
        break;
      case "ruby":
        this.#endRuby();
        break;
      case "rt":
        if (this.#ruby !== undefined) this.#ruby.isReading = false;
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
      if (name === "footer") return !this.#parts.isOpen;
      if (isControl === true || attributeIn(source, "role") === "navigation") return true;
    }
    return false;
  }

  #isHidden(source: string): boolean {
    if (source === "" || !HIDING.test(source)) return false;
    if (attributeIn(source, "hidden") !== undefined) return true;
    if (attributeIn(source, "aria-hidden")?.trim().toLowerCase() === "true") return true;
    return UNSEEN_STYLE.test(this.#decode.attribute(attributeIn(source, "style") ?? ""));
  }

  /** Writes the text that stands for a formula. Returns false for a formula without one. */
  #isFormulaText(name: string, source: string): boolean {
    if (name !== "math") return false;
    const text = this.#decode.attribute(attributeIn(source, "alttext") ?? "").trim();
    if (text !== "") this.#write(text);
    return text !== "";
  }

  /** Begins an element of a formula. Returns false for skipped ones. */
  #beginSign(name: string, source: string): boolean {
    const isTex = name === "annotation" && /tex/i.test(attributeIn(source, "encoding") ?? "");
    if (shapeOf(name).isUnseen === true && !isTex) return false;
    this.#formula?.open(name, isTex);
    return true;
  }

  #endSign(name: string): void {
    if (name !== "math") return this.#formula?.close();
    const line = this.#formula?.line ?? "";
    this.#formula = undefined;
    this.#write(line);
  }

  #endRuby(): void {
    const { text, reading } = this.#ruby ?? { text: "", reading: "" };
    this.#ruby = undefined;
    this.#text.annotated(withoutBreaks(text), withoutBreaks(reading));
  }

  #image(source: string): void {
    const written = attributeIn(source, "alt");
    if (written === undefined) this.#losses.picture(source);
    if (this.#options.images !== true) return;
    const alt = this.#decode.attribute(written ?? "").trim();
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

/** Returns the number of rows or columns of a cell; all following ones are 0 in the page. */
function span(source: string, name: "rowspan" | "colspan"): number {
  if (source === "") return 1;
  const found = /^\s*\+?(\d{1,9})/.exec(attributeIn(source, name) ?? "")?.[1];
  if (found === undefined) return 1;
  return Math.min(name === "rowspan" ? Number(found) || MAX_ROWS : Number(found), MAX_ROWS);
}

/** Maximum number of rows of a cell, as in HTML. */
const MAX_ROWS = 65_534;

function withoutBreaks(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, "");
}
