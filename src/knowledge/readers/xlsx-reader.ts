import { EngineError } from "../../base/error.ts";
import type { DocumentReader, ReadLimits } from "../document-text.ts";
import { TextBuilder } from "../text-builder.ts";
import { builtInFormat, customFormat, shownNumber, type NumberFormat } from "./number-format.ts";
import { OfficeFile } from "./office-file.ts";
import { ReadingWork } from "./reading-work.ts";

/** Maximum number of shared strings. */
const MAX_SHARED = 1_000_000;
/** Maximum number of commas between two cells; further empty cells are left out. */
const MAX_GAP = 64;

/** Excel workbooks: every sheet, also hidden ones; a line for each non-empty row, cells separated by commas. */
export const xlsxReader: DocumentReader = {
  name: "xlsx",
  mediaTypes: ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  extensions: [".xlsx", ".xlsm"],
  read: async (bytes, limits) => {
    const file = new OfficeFile(bytes, "XLSX", new ReadingWork("XLSX"));
    const main = await file.main("XLSX", "workbook");
    const relations = await file.relations(main);
    const partOf = (type: string): string | undefined =>
      [...relations.values()].find((each) => each.type === type)?.target;
    const { sheets, from1904 } = await sheetsOf(file, main);
    const shared = await sharedTexts(file, partOf("sharedStrings"), limits);
    const formats = await formatsOf(file, partOf("styles"));
    const builder = new TextBuilder(limits);
    for (const { name, relation } of sheets) {
      const reading = new SheetReading(builder, name, { shared, formats, from1904 });
      await file.read(relations.get(relation)?.target, reading);
    }
    return builder.build();
  },
};

async function sheetsOf(file: OfficeFile, main: string) {
  const sheets: Array<{ readonly name: string; readonly relation: string }> = [];
  let from1904 = false;
  await file.read(main, {
    open: (element, attributes) => {
      if (element === "workbookPr") from1904 = /^(1|true)$/.test(attributes["date1904"] ?? "");
      if (element === "sheet")
        sheets.push({
          name: attributes["name"] ?? "",
          // `sheetId` is a different number.
          relation: Object.entries(attributes).find(([each]) => each.endsWith(":id"))?.[1] ?? "",
        });
    },
  });
  return { sheets, from1904 };
}

async function sharedTexts(
  file: OfficeFile,
  part: string | undefined,
  { maxCharacters }: ReadLimits,
): Promise<readonly string[]> {
  const texts: string[] = [];
  let [text, length] = ["", 0];
  const within = new Within();
  await file.read(part, {
    open: (name) => {
      within.open(name);
      if (name === "si") text = "";
    },
    text: (piece) => {
      if (within.isText()) text += piece;
    },
    close: (name) => {
      within.close(name);
      if (name !== "si") return;
      length += text.length;
      if (texts.push(text) > MAX_SHARED || length > maxCharacters * 4)
        throw new EngineError(
          "limit_exceeded",
          `the XLSX has more than ${MAX_SHARED} texts or ${maxCharacters * 4} characters in its cells: split it up`,
        );
    },
  });
  return texts;
}

/** Texts of cells are in `t`; their pronunciation, in `rPh`, is skipped. */
class Within {
  #texts = 0;
  #sounds = 0;

  open(name: string): void {
    if (name === "t") this.#texts++;
    if (name === "rPh") this.#sounds++;
  }

  close(name: string): void {
    if (name === "t") this.#texts--;
    if (name === "rPh") this.#sounds--;
  }

  isText(): boolean {
    return this.#texts > 0 && this.#sounds === 0;
  }
}

/** Returns the format of each cell style. */
async function formatsOf(
  file: OfficeFile,
  part: string | undefined,
): Promise<ReadonlyArray<NumberFormat | undefined>> {
  const own = new Map<string, NumberFormat | undefined>();
  const styles: Array<NumberFormat | undefined> = [];
  let isInCells = false;
  await file.read(part, {
    open: (name, { numFmtId: id = "", formatCode: code = "" }) => {
      if (name === "numFmt") own.set(id, customFormat(code));
      if (name === "cellXfs") isInCells = true;
      if (name === "xf" && isInCells)
        styles.push(own.has(id) ? own.get(id) : builtInFormat(Number(id)));
    },
    close: (name) => {
      if (name === "cellXfs") isInCells = false;
    },
  });
  return styles;
}

type Book = {
  readonly shared: readonly string[];
  readonly formats: ReadonlyArray<NumberFormat | undefined>;
  readonly from1904: boolean;
};

/** Makes the cells of one sheet into rows, as they come. */
class SheetReading {
  readonly #builder: TextBuilder;
  readonly #sheet: string;
  readonly #book: Book;
  readonly #within = new Within();
  #row = 0;
  #line = "";
  /** Number of columns in the row so far, and in the line. */
  #column = 0;
  #written = 0;
  #cell: { readonly type: string; readonly style: number } = { type: "n", style: 0 };
  #isValue = false;
  #value = "";

  constructor(builder: TextBuilder, sheet: string, book: Book) {
    this.#builder = builder;
    this.#sheet = sheet;
    this.#book = book;
  }

  readonly open = (name: string, attributes: Readonly<Record<string, string>>): void => {
    this.#within.open(name);
    if (name === "row") {
      this.#row = Number(attributes["r"] ?? this.#row + 1) || this.#row + 1;
      [this.#line, this.#column, this.#written] = ["", 0, 0];
    } else if (name === "c") {
      const { r: place, t: type = "n", s: style = "0" } = attributes;
      this.#column = place === undefined ? this.#column + 1 : columnOf(place);
      this.#cell = { type, style: Number(style) };
      this.#value = "";
    } else if (name === "v") this.#isValue = true;
  };

  readonly text = (piece: string): void => {
    if (this.#isValue || this.#within.isText()) this.#value += piece;
  };

  readonly close = (name: string): void => {
    this.#within.close(name);
    if (name === "v") this.#isValue = false;
    else if (name === "c") this.#add(this.#shown());
    else if (name === "row" && this.#line.trim() !== "")
      this.#builder.addRow(this.#line, { sheet: this.#sheet, row: this.#row });
  };

  #add(text: string): void {
    if (text === "") return;
    const gap = this.#column - Math.max(1, this.#written);
    this.#line += ",".repeat(Math.max(0, Math.min(gap, MAX_GAP)));
    this.#line += /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    this.#written = this.#column;
    this.#builder.check(this.#line.length);
  }

  #shown(): string {
    const { type, style } = this.#cell;
    const value = this.#value;
    if (value === "") return "";
    if (type === "s") return this.#book.shared[Number(value)] ?? "";
    if (type === "b") return value === "1" ? "true" : "false";
    const number = type === "n" ? Number(value) : Number.NaN;
    if (!Number.isFinite(number)) return value;
    return shownNumber(number, this.#book.formats[style], this.#book);
  }
}

/** Returns the column from 1: `C7` is in column 3. */
function columnOf(place: string): number {
  let column = 0;
  for (const letter of place.slice(0, 3).toUpperCase()) {
    const code = letter.codePointAt(0) ?? 0;
    if (code < 65 || code > 90) break;
    column = column * 26 + code - 64;
  }
  return Math.max(1, column);
}
