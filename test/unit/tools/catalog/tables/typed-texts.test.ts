import { describe, expect, it } from "vitest";
import {
  clockOf,
  dateOf,
  dayOrderOf,
  numberOf,
  numberStyleOf,
} from "../../../../../src/tools/catalog/tables/typed-texts.ts";

describe("numbers of people", () => {
  it.each([
    ["1,234.50", 1234.5],
    ["12 %", 0.12],
    ["12.5%", 0.125],
    ["€ 5", 5],
    ["5 €", 5],
    ["$1,234", 1234],
    ["-$3.20", -3.2],
    ["(5.00)", -5],
    ["USD 7", 7],
    ["1 234 567", 1_234_567],
    ["1'000", 1000],
    ["+4", 4],
    [".5", 0.5],
    ["1e3", 1000],
    ["−2", -2],
    ["0.1", 0.1],
  ])("%j is %d", (text, value) => {
    expect(numberOf(text, "point")?.value).toBe(value);
  });

  it.each([
    "007",
    "12-34",
    "1,23,4",
    "12345678901234567890",
    "1.2.3",
    "(5",
    "A1",
    "+49 30 1234x",
    "--3",
    "1 2",
  ])("%j is none", (text) => {
    expect(numberOf(text, "point")).toBeUndefined();
  });

  it("have a decimal comma if a value of their column shows it", () => {
    expect(numberStyleOf(["1.234,50", "3"])).toBe("comma");
    expect(numberStyleOf(["12,5"])).toBe("comma");
    expect(numberStyleOf(["1,234", "2,500"])).toBe("point");
    expect(numberStyleOf(["12,5", "3.75"])).toBe("point");
    expect(numberOf("1.234,50", "comma")?.value).toBe(1234.5);
    expect(numberOf("1.234", "comma")?.value).toBe(1234);
  });

  it("keep their unit", () => {
    expect(numberOf("€ 5", "point")?.unit).toBe("€");
    expect(numberOf("3%", "point")?.unit).toBe("percent");
  });
});

describe("dates of people", () => {
  it.each([
    ["2024-01-31", "2024-01-31"],
    ["2024/1/5", "2024-01-05"],
    ["2024-01-31T18:00:00", "2024-01-31 18:00:00"],
    ["2024-01-31 18:00", "2024-01-31 18:00:00"],
    ["2024-01-31T18:00:00Z", "2024-01-31 18:00:00"],
    ["2024-01-31T18:00:00+02:00", "2024-01-31 16:00:00"],
    ["31.1.2024", "2024-01-31"],
    ["1/31/2024 6:05 PM", "2024-01-31 18:05:00"],
    ["31-Jan-2024", "2024-01-31"],
    ["Jan 31, 2024", "2024-01-31"],
    ["June 12 1998", "1998-06-12"],
  ])("%j is %s", (text, date) => {
    expect(dateOf(text, dayOrderOf([text]))).toBe(date);
  });

  it.each(["2024-02-30", "2024-13-01", "31/02/2024", "1/2/2024", "20240131", "13/13/2024"])(
    "%j is none",
    (text) => {
      expect(dateOf(text, undefined)).toBeUndefined();
    },
  );

  it("have the order of day and month that a value of their column shows", () => {
    expect(dayOrderOf(["1/2/2024", "25/2/2024"])).toBe("dmy");
    expect(dayOrderOf(["1/2/2024", "2/25/2024"])).toBe("mdy");
    expect(dayOrderOf(["25/2/2024", "2/25/2024"])).toBeUndefined();
    expect(dayOrderOf(["1/2/2024"])).toBeUndefined();
  });

  it("reads clock times", () => {
    expect(clockOf("9:05")).toBe("09:05:00");
    expect(clockOf("12:00 am")).toBe("00:00:00");
    expect(clockOf("25:00")).toBeUndefined();
  });
});
