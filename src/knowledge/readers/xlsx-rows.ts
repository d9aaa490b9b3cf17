import { EngineError } from "../../base/error.ts";
import type { ReadLimits } from "../document-text.ts";
import { checkLength } from "../text-builder.ts";
import { isoOf, timeOf } from "./date-format.ts";
import type { MarkupHandler } from "./markup.ts";
import { shownGeneral } from "./number-format.ts";
import { OfficeFile } from "./office-file.ts";
import { ReadingWork } from "./reading-work.ts";
import { cellName, columnOf, type Cell, type SheetRow } from "./sheet-rows.ts";
import {
  bookOf,
  isOn,
  mergesOf,
  notesOf,
  unescaped,
  WithinText,
  type Merge,
  type XlsxBook,
} from "./xlsx-book.ts";

/** Columns of a sheet in Excel. */
const MAX_COLUMNS = 16_384;
/** Maximum number of cells beside a merged one that get its value. */
const MAX_SPAN = 64;

/** Counts of content that the rows do not have, by sheet. */
export type SheetGaps = {
  readonly sheet: string;
  isHidden: boolean;
  hiddenRows: number;
  hiddenColumns: number;
  /** Formulas without a stored value, and the place of the first one. */
  formulas: number;
  firstFormula: string;
  /** Cells whose format shows nothing. */
  unshown: number;
  pictures: number;
  charts: number;
  /** Drawings of shapes alone. */
  drawings: number;
};

export type XlsxOptions = {
  readonly limits: ReadLimits;
  /** Receives the gaps of each sheet, after its rows. */
  readonly onGaps?: (gaps: SheetGaps) => void;
  /** Called for a workbook with macros, which are not read. */
  readonly onMacros?: () => void;
};

/**
 * Yields the rows of a workbook, sheet by sheet, several at a time. Hidden sheets, rows and columns are read. Cells
 * covered by a merged cell have its value. Throws `invalid_input` for other files, `limit_exceeded` for too large ones.
 */
export async function* xlsxRows(
  bytes: Uint8Array,
  { limits, onGaps, onMacros }: XlsxOptions,
): AsyncGenerator<readonly SheetRow[]> {
  const work = new ReadingWork("XLSX");
  const file = new OfficeFile(bytes, "XLSX", work);
  const main = await file.main("XLSX", "workbook");
  if (main.endsWith(".bin"))
    throw new EngineError(
      "invalid_input",
      "the document is no XLSX: it is a binary workbook (.xlsb); save it as XLSX",
    );
  const relations = await file.relations(main);
  if ([...relations.values()].some(({ type }) => type === "vbaProject")) onMacros?.();
  const book = await bookOf(file, main, limits);
  for (const { name, isHidden, relation } of book.sheets) {
    const part = relations.get(relation);
    if (part === undefined) continue;
    const own = [...(await file.relations(part.target)).values()];
    const notes = await notesOf(file, own.find(({ type }) => type === "comments")?.target);
    const merges = await mergesOf(file, part.target);
    const reading = new SheetReading({ name, book, merges, notes, limits, work });
    reading.gaps.isHidden = isHidden;
    const isChart = part.type === "chartsheet";
    if (isChart) reading.gaps.charts++;
    else await countDrawings(file, own, reading.gaps);
    if (!isChart)
      for await (const _ of file.pieces(part.target, reading)) {
        const rows = reading.rows.splice(0);
        if (rows.length > 0) yield rows;
      }
    onGaps?.(reading.gaps);
  }
}

async function countDrawings(
  file: OfficeFile,
  relations: ReadonlyArray<{ readonly type: string; readonly target: string }>,
  gaps: SheetGaps,
): Promise<void> {
  for (const { type, target } of relations) {
    if (type !== "drawing") continue;
    const shown = [...(await file.relations(target)).values()];
    const pictures = shown.filter((each) => each.type === "image").length;
    const charts = shown.filter((each) => /^chart/i.test(each.type)).length;
    gaps.pictures += pictures;
    gaps.charts += charts;
    if (pictures + charts === 0) gaps.drawings++;
  }
}

type SheetContext = {
  readonly name: string;
  readonly book: XlsxBook;
  /** By their first row. */
  readonly merges: readonly Merge[];
  readonly notes: ReadonlyMap<string, string>;
  readonly limits: ReadLimits;
  readonly work: ReadingWork;
};

/** Makes the cells of one sheet into rows, as they come. */
class SheetReading implements MarkupHandler {
  readonly rows: SheetRow[] = [];
  readonly gaps: SheetGaps;
  readonly #about: SheetContext;
  readonly #within = new WithinText();
  /** Merged cells that reach the row, with their values, by their first column: merged cells do not overlap. */
  readonly #open = new Map<number, { readonly merge: Merge; readonly cell: Cell }>();
  #nextMerge = 0;
  #row = 0;
  #column = 0;
  #cells: Cell[] = [];
  #type = "n";
  #style = 0;
  #isValue = false;
  #hasFormula = false;
  #value = "";

  constructor(about: SheetContext) {
    this.#about = about;
    this.gaps = {
      sheet: about.name,
      isHidden: false,
      hiddenRows: 0,
      hiddenColumns: 0,
      formulas: 0,
      firstFormula: "",
      unshown: 0,
      pictures: 0,
      charts: 0,
      drawings: 0,
    };
  }

  readonly open = (name: string, attributes: Readonly<Record<string, string>>): void => {
    if (name === "c") {
      const { r: place, t: type = "n", s: style = "0" } = attributes;
      this.#column = place === undefined ? this.#column + 1 : columnOf(place);
      [this.#type, this.#style, this.#value] = [type, Number(style), ""];
      this.#hasFormula = false;
    } else if (name === "v") this.#isValue = true;
    else if (name === "f") this.#hasFormula = true;
    else if (name === "row") {
      this.#row = Number(attributes["r"] ?? this.#row + 1) || this.#row + 1;
      [this.#cells, this.#column] = [[], 0];
      if (isOn(attributes["hidden"])) this.gaps.hiddenRows++;
    } else if (name === "col" && isOn(attributes["hidden"])) {
      const { min = "1", max = min } = attributes;
      this.gaps.hiddenColumns += Math.max(1, Math.min(MAX_COLUMNS, Number(max) - Number(min) + 1));
    } else this.#within.open(name);
  };

  readonly text = (piece: string): void => {
    if (this.#isValue || this.#within.isText()) this.#value += piece;
  };

  readonly close = (name: string): void => {
    if (name === "v") this.#isValue = false;
    else if (name === "c") this.#endCell();
    else if (name === "row") this.#endRow();
    else this.#within.close(name);
  };

  #endCell(): void {
    checkLength(this.#value.length, this.#about.limits);
    if (this.#value === "" && this.#hasFormula) {
      if (this.gaps.formulas++ === 0) this.gaps.firstFormula = cellName(this.#column, this.#row);
      return;
    }
    const cell = this.#value === "" ? undefined : this.#cell();
    const note =
      this.#about.notes.size === 0
        ? undefined
        : this.#about.notes.get(cellName(this.#column, this.#row));
    if (cell === undefined && note === undefined) return;
    const empty: Cell = { column: this.#column, kind: "text", value: null, shown: "" };
    this.#cells.push(note === undefined ? (cell ?? empty) : { ...(cell ?? empty), note });
    if (this.#cells.length > MAX_COLUMNS)
      throw new EngineError(
        "limit_exceeded",
        `a row of the XLSX has more than ${MAX_COLUMNS} cells, which is too many to read`,
      );
  }

  /** Returns the cell; undefined if its format shows nothing. */
  #cell(): Cell | undefined {
    const column = this.#column;
    const text = this.#value;
    const format = this.#about.book.formats[this.#style];
    switch (this.#type) {
      case "s":
      case "str":
      case "inlineStr": {
        const value =
          this.#type === "s" ? (this.#about.book.shared[Number(text)] ?? "") : unescaped(text);
        const shown = format === undefined ? value : format.showText(value);
        if (value === "") return undefined;
        return this.#seen({ column, kind: "text", value, shown });
      }
      case "b":
        return {
          column,
          kind: "boolean",
          value: text === "1",
          shown: text === "1" ? "true" : "false",
        };
      case "e":
        return { column, kind: "error", value: null, shown: text };
      case "d":
        return { column, kind: "date", value: text, shown: shownIso(text) };
      default:
        return this.#number(Number(text), text);
    }
  }

  #number(number: number, text: string): Cell | undefined {
    const column = this.#column;
    const { formats, from1904 } = this.#about.book;
    const format = formats[this.#style];
    if (!Number.isFinite(number)) return { column, kind: "text", value: text, shown: text };
    if (format === undefined) {
      const shown = text.length < 16 ? String(number) : shownGeneral(number);
      return { column, kind: "number", value: number, shown };
    }
    const shown = format.show(number, from1904);
    const { kind } = format;
    if (kind === "number") return this.#seen({ column, kind, value: number, shown });
    if (kind === "duration") return { column, kind, value: seconds(number), shown };
    if (kind === "time" && number < 1) return { column, kind, value: timeOf(number), shown };
    const iso = isoOf(number, from1904);
    if (iso === undefined) return { column, kind: "number", value: number, shown };
    return { column, kind: "date", value: iso, shown };
  }

  #seen(cell: Cell): Cell | undefined {
    if (cell.shown !== "") return cell;
    this.gaps.unshown++;
    return undefined;
  }

  #endRow(): void {
    const row = this.#row;
    let cells = this.#cells;
    if (cells.length === 0) return;
    if (cells.some(({ column }, index) => column <= (cells[index - 1]?.column ?? 0)))
      cells = ordered(cells);
    if (this.#about.merges.length > 0) cells = this.#merged(cells, row);
    this.rows.push({ sheet: this.#about.name, row, cells });
  }

  /** Adds the values of merged cells to the cells that they cover. */
  #merged(own: readonly Cell[], row: number): Cell[] {
    const { merges, work } = this.#about;
    for (const [left, { merge }] of this.#open) if (merge.bottom < row) this.#open.delete(left);
    for (let next = merges[this.#nextMerge]; next !== undefined && next.top <= row;) {
      const merge = next;
      const cell = merge.top === row ? own.find(({ column }) => column === merge.left) : undefined;
      if (merge.bottom >= row && cell !== undefined && !this.#open.has(merge.left))
        this.#open.set(merge.left, { merge, cell });
      next = merges[++this.#nextMerge];
    }
    if (this.#open.size === 0) return [...own];
    work.spend(this.#open.size);
    const covered = new Map<number, Cell>();
    for (const { merge, cell } of this.#open.values()) {
      const last = Math.min(merge.right, merge.left + MAX_SPAN - 1);
      for (let column = merge.left; column <= last; column++) {
        if (column === merge.left && merge.top === row) continue;
        const { note: _, ...value } = cell;
        covered.set(column, { ...value, column, merged: merge.place });
        work.spend(10);
      }
    }
    if (covered.size === 0) return [...own];
    return [...own.filter(({ column }) => !covered.has(column)), ...covered.values()].toSorted(
      (a, b) => a.column - b.column,
    );
  }
}

/** Sorts cells by column. Of several in one column, the last one counts. */
function ordered(cells: readonly Cell[]): Cell[] {
  return [...new Map(cells.map((cell) => [cell.column, cell])).values()].toSorted(
    (a, b) => a.column - b.column,
  );
}

/** Returns a number of days in seconds, to the millisecond. */
function seconds(days: number): number {
  return Math.round(days * 86_400_000) / 1000;
}

/** Shows an ISO date as other dates are shown. */
function shownIso(text: string): string {
  const [date = "", clock = ""] = text.replace(/(?:\.0+)?Z?$/, "").split("T");
  if (clock === "" || clock === "00:00:00") return date;
  return `${date} ${clock.replace(/^(\d\d:\d\d):00$/, "$1")}`;
}
