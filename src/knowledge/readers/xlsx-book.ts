// Parts of a workbook around its sheets: names, shared texts, formats, comments and merged cells.
import { EngineError } from "../../base/error.ts";
import { attribute } from "./markup.ts";
import { builtInCode, cellFormat, type CellFormat } from "./number-format.ts";
import type { OfficeFile } from "./office-file.ts";
import { columnOf } from "./sheet-rows.ts";

/** Maximum number of shared strings. */
const MAX_SHARED = 1_000_000;
/** Maximum number of merged cells in a sheet. */
const MAX_MERGED = 100_000;

export type XlsxSheet = {
  readonly name: string;
  readonly isHidden: boolean;
  /** Id of the relation to its part. */
  readonly relation: string;
};

/** Contents of cells that are shared by the sheets. */
export type XlsxBook = {
  readonly sheets: readonly XlsxSheet[];
  readonly from1904: boolean;
  readonly shared: readonly string[];
  readonly formats: ReadonlyArray<CellFormat | undefined>;
};

export async function bookOf(
  file: OfficeFile,
  main: string,
  { maxCharacters }: { readonly maxCharacters: number },
): Promise<XlsxBook> {
  const parts = [...(await file.relations(main)).values()];
  const partOf = (type: string): string | undefined =>
    parts.find((each) => each.type === type)?.target;
  const sheets: XlsxSheet[] = [];
  let from1904 = false;
  await file.read(main, {
    open: (element, attributes) => {
      // Extensions have an element of this name, too.
      if (element === "workbookPr") from1904 ||= isOn(attributes["date1904"]);
      if (element === "sheet")
        sheets.push({
          name: attributes["name"] ?? "",
          isHidden: /hidden/i.test(attributes["state"] ?? ""),
          // `sheetId` is a different number.
          relation: Object.entries(attributes).find(([each]) => each.endsWith(":id"))?.[1] ?? "",
        });
    },
  });
  return {
    sheets,
    from1904,
    shared: await sharedTexts(file, partOf("sharedStrings"), maxCharacters * 4),
    formats: await formatsOf(file, partOf("styles")),
  };
}

export function isOn(value: string | undefined): boolean {
  return value === "1" || value === "true";
}

async function sharedTexts(
  file: OfficeFile,
  part: string | undefined,
  most: number,
): Promise<readonly string[]> {
  const texts: string[] = [];
  let [text, length] = ["", 0];
  const within = new WithinText();
  if (part === undefined) return texts;
  const pieces = file.pieces(part, {
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
      if (texts.push(unescaped(text)) > MAX_SHARED || length > most)
        throw new EngineError(
          "limit_exceeded",
          `the XLSX has more than ${MAX_SHARED} texts or ${most} characters in its cells: split it up`,
        );
    },
  });
  for await (const _ of pieces);
  return texts;
}

/** Replaces the escapes of characters that XML does not allow: `_x000D_`. */
export function unescaped(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** Texts of cells are in `t`; their pronunciation, in `rPh`, is skipped. */
export class WithinText {
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

/** Returns the format of each cell style; undefined for `General`. */
async function formatsOf(
  file: OfficeFile,
  part: string | undefined,
): Promise<ReadonlyArray<CellFormat | undefined>> {
  const codes = new Map<string, string>();
  const made = new Map<string, CellFormat | undefined>();
  const styles: Array<CellFormat | undefined> = [];
  let isInCells = false;
  await file.read(part, {
    open: (name, { numFmtId: id = "0", formatCode: code = "" }) => {
      if (name === "numFmt") codes.set(id, code);
      if (name === "cellXfs") isInCells = true;
      if (name !== "xf" || !isInCells) return;
      const own = codes.get(id) ?? builtInCode(Number(id));
      if (!made.has(own)) made.set(own, /^general$/i.test(own) ? undefined : cellFormat(own));
      styles.push(made.get(own));
    },
    close: (name) => {
      if (name === "cellXfs") isInCells = false;
    },
  });
  return styles;
}

/** Returns the comments of a sheet by the places of their cells. */
export async function notesOf(
  file: OfficeFile,
  part: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const notes = new Map<string, string>();
  const within = new WithinText();
  let [place, text] = ["", ""];
  await file.read(part, {
    open: (name, attributes) => {
      within.open(name);
      if (name === "comment") [place, text] = [attribute(attributes, "ref") ?? "", ""];
    },
    text: (piece) => {
      if (within.isText()) text += piece;
    },
    close: (name) => {
      within.close(name);
      if (name === "comment") notes.set(place, unescaped(text).replaceAll(/\s+/g, " ").trim());
    },
  });
  return notes;
}

/** A rectangle of merged cells, its ends included. */
export type Merge = {
  readonly place: string;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
};

/** Returns the merged cells of a sheet by their first row. They stand behind its rows, so the part is looked through. */
export async function mergesOf(file: OfficeFile, part: string | undefined): Promise<Merge[]> {
  const merges: Merge[] = [];
  for await (const [, reference = ""] of file.matches(
    part,
    /<(?:\w+:)?mergeCell\s[^>]*?ref="([^"<>]{1,40})"/g,
  )) {
    if (merges.length === MAX_MERGED)
      throw new EngineError(
        "limit_exceeded",
        `a sheet of the XLSX has more than ${MAX_MERGED} merged cells: split it up`,
      );
    const [from = "", to = from] = reference.replaceAll("$", "").split(":");
    merges.push({
      place: from,
      top: rowOf(from),
      bottom: rowOf(to),
      left: columnOf(from),
      right: columnOf(to),
    });
  }
  return merges.toSorted((a, b) => a.top - b.top || a.left - b.left);
}

function rowOf(place: string): number {
  return Number(/\d+$/.exec(place)?.[0] ?? 1);
}
