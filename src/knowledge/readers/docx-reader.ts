import type { DocumentReader } from "../document-text.ts";
import { DOCUMENT_FORMATS } from "./document-formats.ts";
import { TextBuilder } from "../text-builder.ts";
import { BlockText } from "./block-text.ts";
import { DocxNumbering } from "./docx-numbering.ts";
import { docxStyles } from "./docx-styles.ts";
import { DocxText } from "./docx-text.ts";
import { OfficeFile } from "./office-file.ts";
import { ReadingWork } from "./reading-work.ts";

/** Maximum number of headers and footers that are looked at. */
const MAX_MARGINS = 50;

/** Word documents: paragraphs, lists, tables and notes, with their headings as in Markdown. */
export const docxReader: DocumentReader = {
  ...DOCUMENT_FORMATS.docx,
  read: async (bytes, limits) => {
    const file = new OfficeFile(bytes, "DOCX", new ReadingWork("DOCX"));
    const main = await file.main("DOCX", "document");
    const relations = [...(await file.relations(main)).values()];
    const partsOf = (type: string): readonly string[] =>
      relations.filter((each) => each.type === type).map(({ target }) => target);
    const builder = new TextBuilder(limits);
    const text = new BlockText(builder);
    const styles = await docxStyles(file, partsOf("styles")[0]);
    const numbering = await DocxNumbering.read(file, partsOf("numbering")[0]);
    const reading = (): DocxText => new DocxText({ text, builder, styles, numbering });
    await file.read(main, reading());
    for (const notes of ["footnotes", "endnotes"]) await file.read(partsOf(notes)[0], reading());
    text.mark();
    await textsOf(file, partsOf("comments").slice(0, 1), (example) =>
      builder.lose("comment", { example }),
    );
    const margins = [...partsOf("header"), ...partsOf("footer")];
    await textsOf(file, margins.slice(0, MAX_MARGINS), (example) =>
      builder.lose("repeated", { example }),
    );
    builder.lose("macro", { count: partsOf("vbaProject").length });
    return { ...builder.build(), format: "markdown" };
  },
};

/** Elements whose texts are reported one by one. */
const REPORTED = new Set(["comment", "hdr", "ftr"]);

/** Reports the beginning of each text of some parts. */
async function textsOf(
  file: OfficeFile,
  parts: readonly string[],
  report: (example: string) => void,
): Promise<void> {
  for (const part of parts) {
    let text = "";
    let isText = false;
    await file.read(part, {
      open: (name) => {
        if (REPORTED.has(name)) text = "";
        isText = name === "t";
      },
      text: (piece) => {
        if (isText && text.length < MAX_EXAMPLE) text += piece;
      },
      close: (name) => {
        isText = false;
        if (name === "p" && text !== "") text += " ";
        if (REPORTED.has(name) && text.trim() !== "") report(text);
      },
    });
  }
}

const MAX_EXAMPLE = 200;
