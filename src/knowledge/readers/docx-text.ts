import type { TextBuilder } from "../text-builder.ts";
import type { BlockText } from "./block-text.ts";
import type { DocxNumbering } from "./docx-numbering.ts";
import { DocxObjects } from "./docx-objects.ts";
import { DocxRun } from "./docx-run.ts";
import { DocxTable } from "./docx-table.ts";
import { valueOf, type DocxStyle } from "./docx-styles.ts";
import { attribute, type Attributes, type MarkupHandler } from "./markup.ts";

export type DocxTextOptions = {
  readonly text: BlockText;
  readonly builder: TextBuilder;
  readonly styles: ReadonlyMap<string, DocxStyle>;
  readonly numbering: DocxNumbering;
};

type Paragraph = {
  style?: DocxStyle | undefined;
  heading?: number;
  list?: string;
  level?: number;
  isOpen: boolean;
  /** True if its end was deleted: the next paragraph continues it. */
  isJoined: boolean;
};

/** Skipped elements: deletions, instructions of fields, and older forms beside newer ones. */
const BESIDE = new Set(["Fallback", "del", "moveFrom"]);
/** Signs before the parts of a formula. */
const SIGNS: Readonly<Record<string, string>> = { den: "/", sup: "^", sub: "_" };

/** Reads the text of a part of a Word document. */
export class DocxText implements MarkupHandler {
  readonly #text: BlockText;
  readonly #builder: TextBuilder;
  readonly #styles: ReadonlyMap<string, DocxStyle>;
  readonly #numbering: DocxNumbering;
  readonly #run: DocxRun;
  readonly #objects: DocxObjects;
  readonly #table: DocxTable;
  #beside = 0;
  #isDeleted = false;
  /** Number of open properties of paragraphs, whose properties of letters are those of the paragraph's mark. */
  #properties = 0;
  #formulas = 0;
  #isText = false;
  /** The number of a note, before its text. */
  #note = "";
  #ruby: { base: string; reading: string; isReading: boolean } | undefined;
  #paragraph: Paragraph = { isOpen: false, isJoined: false };

  constructor({ text, builder, styles, numbering }: DocxTextOptions) {
    this.#text = text;
    this.#builder = builder;
    this.#styles = styles;
    this.#numbering = numbering;
    this.#run = new DocxRun(styles, builder);
    this.#objects = new DocxObjects(builder);
    this.#table = new DocxTable(text);
  }

  readonly open = (name: string, attributes: Attributes): void => {
    if (name === "del" && this.#properties > 0) this.#paragraph.isJoined = true;
    if (this.#beside > 0 || BESIDE.has(name)) {
      this.#beside++;
      this.#isDeleted ||= name === "delText";
      return;
    }
    if (name === "p") this.#beginParagraph();
    else if (name === "pPr") this.#properties++;
    else if (this.#properties > 0) this.#property(name, attributes);
    else if (name === "r") this.#run.begin(this.#paragraph.style);
    else if (name === "t") this.#isText = true;
    else if (name === "ruby") this.#ruby ??= { base: "", reading: "", isReading: false };
    else if (this.#ruby !== undefined && (name === "rt" || name === "rubyBase"))
      this.#ruby.isReading = name === "rt";
    else if (name === "tab" || name === "ptab" || name === "br" || name === "cr") this.#write(" ");
    else if (name === "noBreakHyphen") this.#write("-");
    else if (name === "sym") this.#write(this.#run.symbol(attributes));
    else if (name === "footnoteReference" || name === "endnoteReference")
      this.#write(` [${attribute(attributes, "id")}]`);
    else if (name === "footnote" || name === "endnote") {
      const id = Number(attribute(attributes, "id"));
      // 0 and -1 are the lines above the notes.
      this.#note = id > 0 ? `[${id}] ` : "";
    } else if (name === "tbl") {
      this.#end();
      this.#table.open();
    } else if (name === "oMath") this.#formulas++;
    else if (this.#formulas > 0 && SIGNS[name] !== undefined) this.#write(SIGNS[name]);
    else if (!this.#table.part(name, attributes)) {
      this.#run.property(name, attributes);
      this.#objects.open(name, attributes);
    }
  };

  readonly close = (name: string): void => {
    if (this.#beside > 0) {
      if (--this.#beside === 0 && this.#isDeleted) this.#builder.lose("deleted");
      if (this.#beside === 0) this.#isDeleted = false;
      return;
    }
    if (name === "pPr") this.#properties--;
    else if (name === "t") this.#isText = false;
    else if (name === "p") this.#end();
    else if (name === "ruby") this.#endRuby();
    else if (name === "oMath") this.#formulas--;
    else if (!this.#table.close(name)) this.#write(this.#objects.close(name));
  };

  readonly text = (text: string): void => {
    if (!this.#isText || this.#beside > 0) return;
    const shown = this.#run.shown(text);
    if (this.#ruby === undefined) this.#write(shown);
    else if (this.#ruby.isReading) this.#ruby.reading += shown;
    else this.#ruby.base += shown;
  };

  #beginParagraph(): void {
    this.#table.beginText();
    if (this.#paragraph.isJoined) {
      this.#paragraph.isJoined = false;
      return;
    }
    this.#end();
    this.#paragraph = { isOpen: false, isJoined: false };
  }

  #property(name: string, attributes: Attributes): void {
    const paragraph = this.#paragraph;
    const value = valueOf(attributes);
    if (name === "pStyle") paragraph.style = this.#styles.get(value);
    else if (name === "outlineLvl" && Number(value) < 6) paragraph.heading = Number(value) + 1;
    else if (name === "ilvl") paragraph.level = Number(value) || 0;
    else if (name === "numId") paragraph.list = value;
  }

  #write(text: string): void {
    if (text === "") return;
    this.#begin(text);
    this.#table.write(text);
    this.#text.write(text);
  }

  /** Begins the line of a paragraph with its first text. */
  #begin(text: string): void {
    if (this.#paragraph.isOpen || text.trim() === "") return;
    this.#paragraph.isOpen = true;
    const { style, heading = style?.level, list = style?.list, level } = this.#paragraph;
    const depth = level ?? style?.listLevel ?? 0;
    const isListed = list !== undefined && list !== "0";
    if (this.#table.isOpen) this.#text.break(1);
    else if (heading !== undefined) {
      this.#text.heading(heading);
      const mark = isListed ? this.#numbering.mark(list, depth) : "-";
      if (mark !== "" && mark !== "-") this.#text.write(`${mark} `);
    } else if (isListed) {
      const mark = this.#numbering.mark(list, depth);
      if (mark !== "") this.#text.item(depth, mark);
    }
    this.#text.write(this.#note);
    this.#note = "";
  }

  #endRuby(): void {
    const { base, reading } = this.#ruby ?? { base: "", reading: "" };
    this.#ruby = undefined;
    this.#begin(base);
    this.#table.write(base);
    this.#text.annotated(base, reading);
  }

  #end(): void {
    const { isOpen, isJoined, style, heading = style?.level } = this.#paragraph;
    if (isJoined) return;
    const { list = style?.list } = this.#paragraph;
    if (isOpen && heading !== undefined && !this.#table.isOpen) this.#text.endHeading();
    else if (isOpen) this.#text.break(list === undefined || list === "0" ? 2 : 1);
    this.#paragraph = { isOpen: false, isJoined: false };
  }
}
