// Number formats of workbooks, by Office Open XML, 18.8.30 and 18.8.31.
//
//   NF1. A number is shown with its format's section, digits, groups, percents, literals and currency.
//   NF2. A date is shown in ISO 8601, with the fields of its format: a year and a month, a day, a time.
//   NF3. An elapsed time counts beyond a day: 36:00 has no date.
import { dateSection, type Moment } from "./date-format.ts";
import { numberSection } from "./digit-format.ts";
import { tokensOf, type FormatToken } from "./format-tokens.ts";

export type CellFormat = {
  /** Kind of its numbers. */
  readonly kind: "number" | "date" | "time" | "duration";
  /** Text of a number in its cell; `from1904` for workbooks that count days from 1904. */
  readonly show: (value: number, from1904: boolean) => string;
  /** Text of a text in its cell. */
  readonly showText: (text: string) => string;
};

/** Longest format that Excel writes. A longer one is read as `General`. */
const MAX_CODE_LENGTH = 255;

type Section = {
  readonly kind: CellFormat["kind"];
  readonly condition: ((value: number) => boolean) | undefined;
  /** True if the section's text already says that the number is negative. */
  readonly isUnsigned: boolean;
  readonly show: (value: number, moment: Moment) => string;
  readonly tokens: readonly FormatToken[];
};

const GENERAL = "General";

/** Codes of the ids below 164. Ids of East Asian dates differ by language, and are dates in each. */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  5: '"$"#,##0_);("$"#,##0)',
  6: '"$"#,##0_);("$"#,##0)',
  7: '"$"#,##0.00_);("$"#,##0.00)',
  8: '"$"#,##0.00_);("$"#,##0.00)',
  9: "0%",
  10: "0.00%",
  11: "0.00E+00",
  12: "# ?/?",
  13: "# ??/??",
  14: "yyyy-mm-dd",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: "yyyy-mm-dd h:mm",
  37: "#,##0_);(#,##0)",
  38: "#,##0_);(#,##0)",
  39: "#,##0.00_);(#,##0.00)",
  40: "#,##0.00_);(#,##0.00)",
  41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
  42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
  43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
  44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)',
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mm:ss.0",
  48: "##0.0E+0",
  49: "@",
};

/** Returns the code of a format that no file defines. */
export function builtInCode(id: number): string {
  if ((id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 54) || id >= 57) {
    if (id <= 58) return "yyyy-mm-dd";
  }
  if ((id >= 32 && id <= 35) || id === 55 || id === 56) return "h:mm:ss";
  return BUILT_IN[id] ?? GENERAL;
}

/** Reads a format's code, such as `0.00%`, `dd.mm.yyyy` or `[h]:mm`. */
export function cellFormat(code: string): CellFormat {
  const parts = tokensOf(code.length > MAX_CODE_LENGTH ? GENERAL : code);
  const last = parts.at(-1) ?? [];
  // The section of texts is the fourth, or a last one with an `@`.
  const texts = parts[3] ?? (hasText(last) ? last : undefined);
  const numbers = parts.length > 1 && parts.length < 4 && hasText(last) ? parts.length - 1 : 3;
  const sections = parts.slice(0, numbers).map(sectionOf);
  const [first] = sections;
  return {
    kind: first?.kind ?? "number",
    show: (value, from1904) => {
      const { section, isAbsolute } = chosen(sections, value);
      if (section === undefined) return shownGeneral(value);
      const shown = section.show(isAbsolute ? Math.abs(value) : value, { from1904 }).trim();
      return shown;
    },
    showText: (text) => (texts === undefined ? text : textIn(texts, text)),
  };
}

/** Shows a number without a format, with 15 digits: a sum of binary fractions has no more. */
export function shownGeneral(value: number): string {
  return String(Number(value.toPrecision(15)));
}

function hasText(tokens: readonly FormatToken[]): boolean {
  return tokens.some(({ kind }) => kind === "text");
}

function textIn(tokens: readonly FormatToken[], text: string): string {
  return tokens
    .map((token) => (token.kind === "text" ? text : token.kind === "literal" ? token.text : ""))
    .join("")
    .trim();
}

function sectionOf(tokens: readonly FormatToken[]): Section {
  const found = tokens.find(({ kind }) => kind === "condition");
  const date = dateSection(tokens);
  const isUnsigned = found !== undefined && /^<=?\s*-?0*(?:\.0*)?$/.test(found.text);
  return {
    tokens,
    isUnsigned,
    condition: found === undefined ? undefined : conditionOf(found.text),
    ...(date ?? { kind: "number", show: numberSection(tokens, shownGeneral) }),
  };
}

function conditionOf(text: string): ((value: number) => boolean) | undefined {
  const [, sign = "", limitText = ""] = /^(<=|>=|<>|<|>|=)(.*)$/.exec(text) ?? [];
  const limit = Number(limitText);
  const tests: Readonly<Record<string, (value: number) => boolean>> = {
    "<": (value) => value < limit,
    "<=": (value) => value <= limit,
    ">": (value) => value > limit,
    ">=": (value) => value >= limit,
    "=": (value) => value === limit,
    "<>": (value) => value !== limit,
  };
  return tests[sign];
}

/** Returns the section for a number: by the conditions, else by its sign. */
function chosen(
  sections: readonly Section[],
  value: number,
): { readonly section: Section | undefined; readonly isAbsolute: boolean } {
  const [first, second, third] = sections;
  if (sections.some(({ condition }) => condition !== undefined)) {
    const section =
      sections.find(({ condition }) => condition?.(value) === true) ??
      sections.findLast(({ condition }) => condition === undefined);
    return { section, isAbsolute: section?.isUnsigned === true };
  }
  if (value < 0 && second !== undefined) return { section: second, isAbsolute: true };
  if (value === 0 && third !== undefined) return { section: third, isAbsolute: true };
  return { section: first, isAbsolute: false };
}
