import { EngineError } from "../../base/error.ts";
import type { DocumentLosses } from "../document-losses.ts";
import type { ReadLimits } from "../document-text.ts";
import { checkLength } from "../text-builder.ts";
import { attribute, type Attributes, type MarkupHandler } from "./markup.ts";
import { ReadingWork } from "./reading-work.ts";
import { cellName, type Cell, type SheetRow } from "./sheet-rows.ts";
import { scanXml } from "./xml-scanner.ts";
import { ZipFile } from "./zip.ts";

/** Maximum number of times that a repeated row or cell with content is read. */
const MAX_REPEATED = 1_000;
const MAX_COLUMNS = 16_384;

export type OdsOptions = { readonly limits: ReadLimits; readonly losses: DocumentLosses };

/** Yields the rows of an OpenDocument spreadsheet, as `xlsxRows` does. */
export async function* odsRows(
  bytes: Uint8Array,
  { limits, losses }: OdsOptions,
): AsyncGenerator<readonly SheetRow[]> {
  const work = new ReadingWork("ODS");
  const zip = new ZipFile(bytes, "ODS");
  if (!zip.has("content.xml"))
    throw new EngineError(
      "invalid_input",
      "the document is no ODS: it is a ZIP file without content.xml",
    );
  const reading = new OdsReading(limits, losses);
  for await (const _ of scanXml(zip.text("content.xml"), reading, work)) {
    const rows = reading.rows.splice(0);
    for (const { cells } of rows) work.spend(cells.length * 10);
    if (rows.length > 0) yield rows;
  }
}

class OdsReading implements MarkupHandler {
  readonly rows: SheetRow[] = [];
  readonly #limits: ReadLimits;
  readonly #losses: DocumentLosses;
  #sheet = "";
  #row = 0;
  #repeatedRows = 1;
  #column = 0;
  #cells: Cell[] = [];
  #cell: { readonly attributes: Attributes; text: string; paragraphs: number } | undefined;
  #paragraphs = 0;
  /** Depth of comments and pictures within a cell, whose texts are not the cell's. */
  #beside = 0;
  /** Cells that reach down from an earlier row, by column, with their last row. */
  #spans: Array<{ readonly cell: Cell; readonly last: number; readonly width: number }> = [];

  constructor(limits: ReadLimits, losses: DocumentLosses) {
    this.#limits = limits;
    this.#losses = losses;
  }

  readonly open = (name: string, attributes: Attributes): void => {
    if (
      this.#beside > 0 ||
      name === "annotation" ||
      name === "frame" ||
      name === "tracked-changes"
    ) {
      if (this.#beside++ === 0) this.#lose(name);
    } else if (name === "table") {
      this.#sheet = attribute(attributes, "name") ?? "";
      [this.#row, this.#spans] = [0, []];
    } else if (name === "table-row") {
      this.#repeatedRows = repeated(attributes, "number-rows-repeated");
      [this.#cells, this.#column] = [[], 0];
    } else if (name === "table-cell" || name === "covered-table-cell")
      this.#cell = { attributes, text: "", paragraphs: 0 };
    else if (this.#cell !== undefined && name === "p") {
      this.#paragraphs++;
      if (this.#cell.paragraphs++ > 0) this.#cell.text += "\n";
    } else if (
      this.#cell !== undefined &&
      (name === "s" || name === "tab" || name === "line-break")
    )
      this.#cell.text += " ";
  };

  readonly text = (text: string): void => {
    if (this.#cell === undefined || this.#paragraphs === 0 || this.#beside > 0) return;
    this.#cell.text += text;
    checkLength(this.#cell.text.length, this.#limits);
  };

  readonly close = (name: string): void => {
    if (this.#beside > 0) this.#beside--;
    else if (name === "p" && this.#cell !== undefined) this.#paragraphs--;
    else if (name === "table-cell" || name === "covered-table-cell") this.#endCell();
    else if (name === "table-row") this.#endRow();
  };

  #lose(name: string): void {
    if (name === "tracked-changes") return;
    const place = { sheet: this.#sheet, row: this.#row + 1 };
    this.#losses.add(name === "annotation" ? "comment" : "drawing", { place });
  }

  #endCell(): void {
    const cell = this.#cell;
    if (cell === undefined) return;
    this.#cell = undefined;
    const times = repeated(cell.attributes, "number-columns-repeated");
    const first = this.#column + 1;
    this.#column += times;
    if (cell.text.trim() === "") {
      if (attribute(cell.attributes, "formula") !== undefined && cell.paragraphs === 0)
        this.#losses.add("formula", {
          place: { sheet: this.#sheet, row: this.#row + 1 },
          example: cellName(first, this.#row + 1),
        });
      return;
    }
    const made = cellOf(first, cell.text, cell.attributes);
    const width = repeated(cell.attributes, "number-columns-spanned");
    const height = repeated(cell.attributes, "number-rows-spanned");
    if (height > 1) this.#spans.push({ cell: made, last: this.#row + height, width });
    for (let index = 0; index < Math.min(times, MAX_REPEATED); index++)
      this.#cells.push({ ...made, column: first + index });
    if (this.#cells.length > MAX_COLUMNS)
      throw new EngineError(
        "limit_exceeded",
        `a row of the ODS has more than ${MAX_COLUMNS} cells, which is too many to read`,
      );
  }

  #endRow(): void {
    const row = this.#row + 1;
    this.#row += this.#repeatedRows;
    this.#spans = this.#spans.filter(({ last }) => last >= row);
    if (this.#cells.length === 0) return;
    const own = new Set(this.#cells.map(({ column }) => column));
    const covered = this.#spans.flatMap(({ cell, last }) =>
      own.has(cell.column) || last < row ? [] : [{ ...cell, merged: cellName(cell.column, row) }],
    );
    const cells =
      covered.length === 0
        ? this.#cells
        : [...this.#cells, ...covered].toSorted((a, b) => a.column - b.column);
    for (let index = 0; index < Math.min(this.#repeatedRows, MAX_REPEATED); index++)
      this.rows.push({ sheet: this.#sheet, row: row + index, cells });
  }
}

function repeated(attributes: Attributes, name: string): number {
  const count = Math.floor(Number(attribute(attributes, name) ?? 1));
  return count >= 1 && count < 10_000_000 ? count : 1;
}

function cellOf(column: number, text: string, attributes: Attributes): Cell {
  const shown = text.trim();
  const of = (name: string): string => attribute(attributes, name) ?? "";
  switch (of("value-type")) {
    case "float":
    case "currency":
    case "percentage":
      return { column, kind: "number", value: Number(of("value")), shown };
    case "boolean":
      return { column, kind: "boolean", value: of("boolean-value") === "true", shown };
    case "date":
      return { column, kind: "date", value: of("date-value"), shown };
    case "time":
      return { column, kind: "duration", value: secondsOf(of("time-value")), shown };
    default:
      return { column, kind: "text", value: text, shown };
  }
}

/** Returns the seconds of a duration such as `PT36H00M00S`. */
function secondsOf(duration: string): number | null {
  const match = /^(-?)PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/.exec(duration);
  if (match === null) return null;
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = match;
  const all = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === "-" ? -all : all;
}
