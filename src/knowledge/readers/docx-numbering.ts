// Numbers of list items and headings, as Word shows them.
import { isOn, valueOf } from "./docx-styles.ts";
import { letterNumber, romanNumber } from "./list-numbers.ts";
import { attribute } from "./markup.ts";
import type { OfficeFile } from "./office-file.ts";

type Level = {
  start: number;
  format: string;
  /** Such as `%1.%2)`. */
  text: string;
  /** Set for levels above it in digits. */
  isLegal: boolean;
};

type List = { readonly abstract: string; readonly starts: Map<number, number> };

const MAX_LEVELS = 9;
const MAX_LEVEL_TEXT = 100;

/** Numbers of a document's lists. */
export class DocxNumbering {
  readonly #levels = new Map<string, Level[]>();
  readonly #lists = new Map<string, List>();
  readonly #counts = new Map<string, Array<number | undefined>>();
  readonly #begun = new Set<string>();

  static async read(file: OfficeFile, part: string | undefined): Promise<DocxNumbering> {
    const numbering = new DocxNumbering();
    let levels: Level[] = [];
    let level: Level | undefined;
    let list: List | undefined;
    let override = 0;
    await file.read(part, {
      open: (name, attributes) => {
        const value = valueOf(attributes);
        if (name === "abstractNum") {
          const id = attribute(attributes, "abstractNumId") ?? "";
          numbering.#levels.set(id, (levels = []));
          list = undefined;
        } else if (name === "num") {
          list = undefined;
          numbering.#next = attribute(attributes, "numId") ?? "";
        } else if (name === "abstractNumId") {
          list = { abstract: value, starts: new Map() };
          numbering.#lists.set(numbering.#next, list);
        } else if (name === "lvlOverride") override = Number(attribute(attributes, "ilvl")) || 0;
        else if (name === "startOverride") list?.starts.set(override, Number(value) || 0);
        else if (name === "lvl") {
          const at = Number(attribute(attributes, "ilvl")) || 0;
          level = { start: 1, format: "decimal", text: "", isLegal: false };
          if (list === undefined && at >= 0 && at < MAX_LEVELS) levels[at] = level;
        } else if (level === undefined) return;
        else if (name === "start") level.start = Number(value) || 0;
        else if (name === "numFmt") level.format = value;
        else if (name === "lvlText") level.text = value.slice(0, MAX_LEVEL_TEXT);
        else if (name === "isLgl") level.isLegal = isOn(attributes);
      },
    });
    return numbering;
  }

  #next = "";

  /** Returns the mark of the next item: its number, a dash for a bullet, nothing for an item without a mark. */
  mark(list: string, at: number): string {
    const { abstract = "", starts } = this.#lists.get(list) ?? {};
    const levels = this.#levels.get(abstract) ?? [];
    const level = levels[at];
    if (level === undefined || level.format === "bullet") return "-";
    if (level.format === "none") return level.text.replaceAll(/%\d/g, "").trim();
    const counts = this.#counts.get(abstract) ?? [];
    this.#counts.set(abstract, counts);
    const start = starts?.get(at);
    const begins = start !== undefined && !this.#begun.has(`${list}/${at}`);
    if (begins) this.#begun.add(`${list}/${at}`);
    const before = counts[at];
    counts[at] = begins ? start : before === undefined ? level.start : before + 1;
    counts.length = at + 1;
    const text = level.text === "" ? `%${at + 1}.` : level.text;
    return text
      .replaceAll(/%([1-9])/g, (_, digit: string) => {
        const index = Number(digit) - 1;
        const number = (counts[index] ??= levels[index]?.start ?? 1);
        return numberText(number, level.isLegal ? "decimal" : (levels[index]?.format ?? ""));
      })
      .trim();
  }
}

function numberText(number: number, format: string): string {
  switch (format) {
    case "lowerLetter":
      return letterNumber(number);
    case "upperLetter":
      return letterNumber(number).toUpperCase();
    case "lowerRoman":
      return romanNumber(number).toLowerCase();
    case "upperRoman":
      return romanNumber(number);
    case "decimalZero":
      return String(number).padStart(2, "0");
    default:
      return String(number);
  }
}
