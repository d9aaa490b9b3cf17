// Numbers as Excel shows them. Expected texts are those of Excel and LibreOffice for the same cells.
import { describe, expect, it } from "vitest";
import { builtInCode, cellFormat } from "../../../../src/knowledge/readers/number-format.ts";

const show = (code: string, value: number, from1904 = false): string =>
  cellFormat(code).show(value, from1904);

describe("NF1: numbers", () => {
  it.each([
    ["00000", 1234, "01234"],
    ["0", 0.5, "1"],
    ["0.00", 1.005, "1.01"],
    ["#,##0", 1234567.891, "1,234,568"],
    ["#,##0.00", -1234.5, "-1,234.50"],
    ["#,##0,", 1234567, "1,235"],
    ['0.0,,"M"', 12_345_678, "12.3M"],
    ["0%", 0.075, "8%"],
    ["0.0%", 0.075, "7.5%"],
    ["0.00E+00", 1234.5, "1.23E+03"],
    ["##0.0E+0", 12_345, "12.3E+3"],
    ["0E-0", 0.00012, "1E-4"],
    ["# ?/?", 0.5, "1/2"],
    ["# ??/??", 2.75, "2 3/4"],
    ["# ?/8", 1.5, "1 4/8"],
    ["?/?", 1.25, "5/4"],
    ["0.##", 3, "3"],
    ["0.0#", 3.456, "3.46"],
    ["(000) 000-0000", 5_551_234_567, "(555) 123-4567"],
    ["000\\-00\\-0000", 123_456_789, "123-45-6789"],
    ['0 "days"', 3, "3 days"],
    ['General "kg"', 2.5, "2.5 kg"],
    ["#,##0", 1.234567890123456e19, "12,345,678,901,234,600,000"],
    ["", 5, ""],
  ])("%s of %d is %s", (code, value, shown) => {
    expect(show(code, value)).toBe(shown);
  });

  it.each([
    ["[$€-407]#,##0.00", 1234.5, "€1,234.50"],
    ["#,##0.00 [$€-407]", 1234.5, "1,234.50 €"],
    ["[$USD] #,##0", 5, "USD 5"],
    ['"¥"#,##0', 5000, "¥5,000"],
    ['_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', -12.5, "$(12.50)"],
    ['_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', 0, "$-"],
    ['_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-', -3, "-3.00 €"],
  ])("currency %s of %d is %s", (code, value, shown) => {
    expect(show(code, value)).toBe(shown);
  });

  it.each([
    ["0.00;[Red](0.00)", -42.5, "(42.50)"],
    ['0;-0;"none"', 0, "none"],
    ["[<100]0.0;[>=100]0", 99.55, "99.6"],
    ["[<100]0.0;[>=100]0", 150.4, "150"],
    ["[Red][<0]0;[Blue]0", -3, "3"],
    ['[=1]"yes";[=0]"no";0', 1, "yes"],
    ['"up";"down"', -1, "down"],
    [";;;", 5, ""],
    ["0;;", 0, ""],
  ])("sections %s of %d are %s", (code, value, shown) => {
    expect(show(code, value)).toBe(shown);
  });

  it("shows texts by the section of texts", () => {
    expect(cellFormat('0;0;0;"Mr "@').showText("Ray")).toBe("Mr Ray");
    expect(cellFormat("@").showText(" 01 ")).toBe("01");
    expect(cellFormat("h:mm;@").showText("late")).toBe("late");
    expect(cellFormat("0.00").showText("late")).toBe("late");
  });
});

describe("NF2: dates", () => {
  it.each([
    ["dd.mm.yyyy", 45_306, "2024-01-15"],
    ["yyyy\\-mm\\-dd hh:mm", 45_306.75, "2024-01-15 18:00"],
    ["mmmm yyyy", 45_306, "2024-01"],
    ["yyyy", 45_306, "2024"],
    ["[$-407]dddd", 45_306, "2024-01-15"],
    ['[$-411]ggge"年"m"月"d"日"', 45_306, "2024-01-15"],
    ["h:mm AM/PM", 0.75, "18:00"],
    ["h:mm:ss.000", 0.5000115741, "12:00:01"],
    ["d/m/yyyy", 1, "1900-01-01"],
    ["d/m/yyyy", 59, "1900-02-28"],
    ["d/m/yyyy", 60, "1900-02-29"],
    ["d/m/yyyy", 61, "1900-03-01"],
    ["d/m/yyyy", -1, "-1"],
    ["d/m/yyyy", 3_000_000, "3000000"],
  ])("%s of %d is %s", (code, value, shown) => {
    expect(show(code, value)).toBe(shown);
  });

  it("counts from 1904 where the workbook does", () => {
    expect(show("d/m/yyyy", 43_844, true)).toBe("2024-01-15");
    expect(show("d/m/yyyy", 0, true)).toBe("1904-01-01");
    expect(show("d/m/yyyy", 60, true)).toBe("1904-03-01");
  });
});

describe("NF3: elapsed times", () => {
  it.each([
    ["[h]:mm", 1.5, "36:00"],
    ["[h]:mm:ss", 2.25, "54:00:00"],
    ["[hh]:mm", 0.25, "06:00"],
    ["[mm]:ss", 0.0625, "90:00"],
    ["[ss]", 0.001, "86"],
    ['[h]"h" mm"min"', 1.0625, "25h 30min"],
    ["[h]:mm", -0.5, "-12:00"],
    ["mm:ss", 0.0025, "03:36"],
    ["mm:ss.0", 0.00347222, "05:00.0"],
  ])("%s of %d is %s", (code, value, shown) => {
    expect(show(code, value)).toBe(shown);
  });

  it("has builtin formats", () => {
    expect(show(builtInCode(46), 2.25)).toBe("54:00:00");
    expect(show(builtInCode(20), 0.5)).toBe("12:00");
    expect(show(builtInCode(10), 0.125)).toBe("12.50%");
    expect(show(builtInCode(31), 45_306)).toBe("2024-01-15");
    expect(show(builtInCode(44), 5)).toBe("$5.00");
  });
});
