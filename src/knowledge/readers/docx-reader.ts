import type { DocumentReader } from "../document-text.ts";
import { TextBuilder } from "../text-builder.ts";
import { BlockText } from "./block-text.ts";
import { attribute, type Attributes, type MarkupHandler } from "./markup.ts";
import { OfficeFile } from "./office-file.ts";
import { ReadingWork } from "./reading-work.ts";

/** Word documents: paragraphs, lists, tables and notes, with their headings as in Markdown. */
export const docxReader: DocumentReader = {
  name: "docx",
  mediaTypes: ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  extensions: [".docx", ".docm"],
  read: async (bytes, limits) => {
    const file = new OfficeFile(bytes, "DOCX", new ReadingWork("DOCX"));
    const main = await file.main("DOCX", "document");
    const relations = [...(await file.relations(main)).values()];
    const partOf = (type: string) => relations.find((each) => each.type === type)?.target;
    const builder = new TextBuilder(limits);
    const text = new BlockText(builder);
    const looks = {
      headings: await headingStyles(file, partOf("styles")),
      numbered: await numberedLists(file, partOf("numbering")),
    };
    await file.read(main, new DocxReading(text, looks));
    for (const notes of ["footnotes", "endnotes"])
      await file.read(partOf(notes), new DocxReading(text, looks));
    text.mark();
    return { ...builder.build(), format: "markdown" };
  },
};

const value = (attributes: Attributes): string => attribute(attributes, "val") ?? "";

/** Returns the heading level of each heading style. Names of styles are English in every file, their ids are not. */
async function headingStyles(
  file: OfficeFile,
  part: string | undefined,
): Promise<ReadonlyMap<string, number>> {
  const levels = new Map<string, number>();
  const bases = new Map<string, string>();
  let style = "";
  await file.read(part, {
    open: (name, attributes) => {
      if (name === "style") style = attribute(attributes, "styleId") ?? "";
      const level = /^(?:heading ([1-6])|title)$/i.exec(value(attributes));
      if (name === "name" && level !== null) levels.set(style, Number(level[1] ?? 1));
      if (name === "outlineLvl" && Number(value(attributes)) < 6)
        levels.set(style, Number(value(attributes)) + 1);
      if (name === "basedOn") bases.set(style, value(attributes));
    },
  });
  for (const [own, base] of bases) {
    const level = levels.get(base);
    if (!levels.has(own) && level !== undefined) levels.set(own, level);
  }
  return levels;
}

/** Returns the numbered lists, as `id/level`. */
async function numberedLists(
  file: OfficeFile,
  part: string | undefined,
): Promise<ReadonlySet<string>> {
  const abstract = new Set<string>();
  const lists = new Set<string>();
  let [own, level, list] = ["", "", ""];
  await file.read(part, {
    open: (name, attributes) => {
      if (name === "abstractNum") own = attribute(attributes, "abstractNumId") ?? "";
      if (name === "lvl") level = attribute(attributes, "ilvl") ?? "";
      if (name === "numFmt" && !["bullet", "none"].includes(value(attributes)))
        abstract.add(`${own}/${level}`);
      if (name === "num") list = attribute(attributes, "numId") ?? "";
      if (name === "abstractNumId")
        for (let each = 0; each < 9; each++)
          if (abstract.has(`${value(attributes)}/${each}`)) lists.add(`${list}/${each}`);
    },
  });
  return lists;
}

type Looks = {
  readonly headings: ReadonlyMap<string, number>;
  readonly numbered: ReadonlySet<string>;
};

type Paragraph = { heading?: number; list?: string; level: number; isOpen: boolean };

/** Skipped elements: deletions, instructions of fields, and older forms beside newer ones. */
const BESIDE = new Set(["Fallback", "del", "moveFrom"]);

class DocxReading implements MarkupHandler {
  readonly #text: BlockText;
  readonly #looks: Looks;
  readonly #items = new Map<string, number>();
  #beside = 0;
  #tables = 0;
  #isText = false;
  /** The number of a note, before its text. */
  #note = "";
  #paragraph: Paragraph = { level: 0, isOpen: false };

  constructor(text: BlockText, looks: Looks) {
    this.#text = text;
    this.#looks = looks;
  }

  readonly open = (name: string, attributes: Attributes): void => {
    if (this.#beside > 0 || BESIDE.has(name)) {
      this.#beside++;
      return;
    }
    const paragraph = this.#paragraph;
    if (name === "p") {
      this.#end();
      this.#paragraph = { level: 0, isOpen: false };
    } else if (name === "pStyle") {
      const level = this.#looks.headings.get(value(attributes));
      if (level !== undefined) paragraph.heading = level;
    } else if (name === "outlineLvl" && Number(value(attributes)) < 6)
      paragraph.heading = Number(value(attributes)) + 1;
    else if (name === "ilvl") paragraph.level = Number(value(attributes)) || 0;
    else if (name === "numId" && value(attributes) !== "0") paragraph.list = value(attributes);
    else if (name === "t") this.#isText = true;
    else if (name === "tab" || name === "br" || name === "cr") this.#write(" ");
    else if (name === "noBreakHyphen") this.#write("-");
    else if (name === "footnoteReference" || name === "endnoteReference")
      this.#write(` [${attribute(attributes, "id")}]`);
    else if (name === "footnote" || name === "endnote") {
      const id = Number(attribute(attributes, "id"));
      // 0 and -1 are the lines above the notes.
      this.#note = id > 0 ? `[${id}] ` : "";
    } else if (name === "tbl") {
      this.#end();
      if (this.#tables++ === 0) this.#text.break(2);
    } else if (name === "tr" && this.#tables === 1) this.#text.row();
    else if (name === "tc" && this.#tables === 1) this.#text.cell();
  };

  readonly close = (name: string): void => {
    if (this.#beside > 0) {
      this.#beside--;
      return;
    }
    if (name === "t") this.#isText = false;
    else if (name === "p") this.#end();
    else if (name === "tr" && this.#tables === 1) this.#text.row();
    else if (name === "tbl" && --this.#tables === 0) this.#text.endTable();
  };

  readonly text = (text: string): void => {
    if (this.#isText && this.#beside === 0) this.#write(text);
  };

  #write(text: string): void {
    const { isOpen, heading, list, level } = this.#paragraph;
    if (!isOpen && text.trim() !== "") {
      this.#paragraph.isOpen = true;
      if (this.#tables > 0) this.#text.break(1);
      else if (heading !== undefined) this.#text.heading(heading);
      else if (list !== undefined) this.#text.item(level, this.#mark(`${list}/${level}`));
      this.#text.write(this.#note);
      this.#note = "";
    }
    this.#text.write(text);
  }

  /** Returns the mark of a list item: its number, or a dash. */
  #mark(list: string): string {
    if (!this.#looks.numbered.has(list)) return "-";
    const number = (this.#items.get(list) ?? 0) + 1;
    this.#items.set(list, number);
    return `${number}.`;
  }

  #end(): void {
    const { isOpen, heading, list } = this.#paragraph;
    if (isOpen && heading !== undefined && this.#tables === 0) this.#text.endHeading();
    else if (isOpen) this.#text.break(list === undefined ? 2 : 1);
    this.#paragraph = { level: 0, isOpen: false };
  }
}
