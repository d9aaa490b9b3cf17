import type { DocumentReader, DocumentText, ReadLimits } from "../document-text.ts";
import { checkLength, TextBuilder } from "../text-builder.ts";
import { BlockText } from "./block-text.ts";
import { decodeText } from "./decode-text.ts";
import { readMarkup, type Attributes, type MarkupHandler } from "./markup.ts";
import { ReadingWork } from "./reading-work.ts";

/** Parts of a page that are not what it says. */
const BESIDE = new Set(
  "head script style noscript template nav svg math iframe object button select textarea canvas audio video dialog".split(
    " ",
  ),
);
/** Elements that are lines of their own, with a blank line around them or none. */
const PARAGRAPHS = new Set(
  "address article aside blockquote details dl fieldset figure footer form header hgroup main p section ul ol hr center".split(
    " ",
  ),
);
const LINES = new Set("div br dt dd figcaption legend summary caption option".split(" "));

/** Source of a page may be so much longer than its text. */
const MARKUP_PER_TEXT = 4;

/** What a page shows, with its headings as Markdown has them: its `<main>`, if it has one. */
export const htmlReader: DocumentReader = {
  name: "html",
  mediaTypes: ["text/html", "application/xhtml+xml"],
  extensions: [".html", ".htm", ".xhtml"],
  read: async (bytes, limits) => {
    const html = decodeText(bytes);
    checkLength(html.length, { maxCharacters: limits.maxCharacters * MARKUP_PER_TEXT });
    const page = new Page(limits);
    await readMarkup([html], page, { work: new ReadingWork("HTML"), isXml: false });
    return page.build();
  },
};

class Page implements MarkupHandler {
  readonly #builder: TextBuilder;
  readonly #text: BlockText;
  /** Of `<main>`: where its text begins and ends. */
  readonly #mains: Array<{ readonly start: number; end: number }> = [];
  #mainDepth = 0;
  #articleDepth = 0;
  /** Elements open within one that is left out, and it. */
  #beside = 0;
  readonly #lists: Array<{ readonly isOrdered: boolean; items: number }> = [];
  #verbatim: string[] | undefined;

  constructor(limits: ReadLimits) {
    this.#builder = new TextBuilder(limits);
    this.#text = new BlockText(this.#builder);
  }

  readonly open = (name: string, attributes: Attributes): void => {
    if (this.#beside > 0 || this.#isBeside(name, attributes)) {
      this.#beside++;
      return;
    }
    if (name === "article") this.#articleDepth++;
    if (name === "main" && this.#mainDepth++ === 0) {
      const start = this.#text.mark();
      this.#mains.push({ start, end: start });
    }
    this.#block(name);
    const level = headingLevel(name);
    if (level !== undefined) this.#text.heading(level);
    else if (name === "pre") this.#verbatim ??= [];
    else if (name === "ul" || name === "ol")
      this.#lists.push({ isOrdered: name === "ol", items: 0 });
    else if (name === "li") {
      const list = this.#lists.at(-1) ?? { isOrdered: false, items: 0 };
      list.items++;
      this.#text.item(this.#lists.length - 1, list.isOrdered ? `${list.items}.` : "-");
    } else if (name === "tr") this.#text.row();
    else if (name === "td" || name === "th") this.#text.cell();
    else if (name === "br") this.#verbatim?.push("\n");
  };

  readonly close = (name: string): void => {
    if (this.#beside > 0) {
      this.#beside--;
      return;
    }
    if (name === "article") this.#articleDepth--;
    if (headingLevel(name) !== undefined) this.#text.endHeading();
    else if (name === "pre" && this.#verbatim !== undefined) {
      this.#text.verbatim(this.#verbatim.join(""));
      this.#verbatim = undefined;
    } else if (name === "ul" || name === "ol") this.#lists.pop();
    else if (name === "tr") this.#text.row();
    else if (name === "table") this.#text.endTable();
    this.#block(name);
    if (name === "main" && --this.#mainDepth === 0) {
      const last = this.#mains.at(-1);
      this.#text.mark();
      if (last !== undefined) last.end = this.#builder.length;
    }
  };

  readonly text = (text: string): void => {
    if (this.#beside > 0) return;
    if (this.#verbatim === undefined) this.#text.write(text);
    else this.#verbatim.push(text);
  };

  build(): DocumentText {
    this.#text.mark();
    const { text } = this.#builder.build();
    const main = this.#mains.map(({ start, end }) => text.slice(start, end).trim()).join("\n\n");
    return { text: main.trim() === "" ? text : main.trim(), marks: [], format: "markdown" };
  }

  /** A footer of the page is beside it, one of an article is not. */
  #isBeside(name: string, attributes: Attributes): boolean {
    if (name === "footer") return this.#mainDepth + this.#articleDepth === 0;
    return BESIDE.has(name) || "hidden" in attributes || attributes["role"] === "navigation";
  }

  #block(name: string): void {
    if (this.#verbatim !== undefined) return;
    if (PARAGRAPHS.has(name)) this.#text.break(this.#lists.length > 0 ? 1 : 2);
    else if (LINES.has(name)) this.#text.break(1);
  }
}

function headingLevel(name: string): number | undefined {
  return /^h[1-6]$/.test(name) ? Number(name[1]) : undefined;
}
