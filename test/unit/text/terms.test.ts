import { describe, expect, it } from "vitest";
import { coverage, queryTerms, queryWords, termsOf } from "../../../src/text/index.ts";
import { describeText } from "../../support/text.suite.ts";

/** The share of a question's terms in a text. */
const found = (question: string, text: string): number => coverage(queryTerms(question), text);

describeText("in this process");

describe("terms", () => {
  it("are without case, accents, endings and stop words", () => {
    expect(termsOf("The Cafés are opening; kettles boiled!")).toEqual(
      termsOf("cafe open kettle boil"),
    );
    expect(termsOf("E1042 and 31.5")).toEqual(["e1042", "e", "1042", "31.5"]);
    expect(termsOf("")).toEqual([]);
    expect(termsOf("The kettle's lid doesn't fit")).toEqual(termsOf("kettle lid fit"));
  });

  it("of a question of stop words alone are these", () => {
    expect(queryTerms("who are you")).toEqual(["who", "are", "you"]);
    expect(queryWords("The kettle, the Kettle?")).toEqual(["kettle"]);
    expect(queryWords('"; DROP')).toEqual(["drop"]);
    expect(queryTerms("是什么")).toEqual(["是", "什么"]);
    expect(queryTerms("?!")).toEqual([]);
  });

  it("cover a text by their share of it, longer ones more", () => {
    const terms = queryTerms("kettle tea");
    expect(coverage(terms, "Kettles and tea")).toBe(1);
    expect(coverage(terms, "no such thing")).toBe(0);
    expect(coverage(terms, "a kettle")).toBeGreaterThan(coverage(terms, "tea"));
    expect(coverage([], "x")).toBe(0);
  });

  it("find no words of other texts in scripts without spaces", () => {
    expect(found("保証期間", "返品は三十日以内に限ります。")).toBe(0);
    expect(found("การรับประกัน", "ราคาสินค้าคือสองร้อยห้าสิบบาท")).toBeLessThan(0.3);
    expect(found("보증 기간", "제품의 가격은 250원입니다.")).toBe(0);
  });

  it.each([
    ["250", "250원"],
    ["250", "250円、税込"],
    ["250", "nur 250€"],
    ["250", "weighs 250kg"],
    ["250 kg", "weighs 250kg"],
    ["250kg", "weighs 250 kg"],
    ["250", "２５０円"],
    ["२५०", "٢٥٠ ريال"],
    ["1500", "1,500 items"],
    ["1,500", "1500 items"],
    ["1500", "1.500,00 €"],
    ["1500", "1\u202f500 €"],
    ["1500", "1'500.00 Fr."],
    ["1500000", "1.500.000"],
    ["29.90", "29,90 €"],
    ["1.5", "1.500"],
    ["0.250", "0,25"],
    ["10.0.0.1", "host 10.0.0.1"],
    ["177", "screw M177,177"],
    ["M177", "screw M177,177"],
    ["353.5", "SKU1353,blue,353.5,1059"],
    ["1059", "SKU1353,blue,353.5,1059"],
    ["1500", "EUR1,500"],
    ["1500", "1,500kg"],
    ["1.2.3", "edgecrew v1.2.3"],
    ["20261130", "on 2026-11-30"],
  ])("find the number %s in %s", (question, text) => {
    expect(found(question, text)).toBeGreaterThanOrEqual(0.5);
  });

  it.each([
    ["250", "2500 or 1250"],
    ["1.5", "15 and 150"],
    ["1020", "10-20"],
    ["25", "0.25"],
  ])("do not find the number %s in %s", (question, text) => {
    expect(found(question, text)).toBe(0);
  });

  it.each([
    ["SKU-1400", "SKU1400 blue"],
    ["SKU1400", "SKU-1400 blue"],
    ["sku 1400", "SKU1400 blue"],
    ["SKU1400", "sku 1400 blue"],
    ["sku_1400", "SKU-1400 blue"],
    ["ERR_42-b", "The error is ERR_42-b."],
    ["email", "Send an e-mail"],
    ["e-mail", "Send an email"],
    ["Ｅ１０４２", "error E1042"],
  ])("find the identifier %s in %s", (question, text) => {
    expect(found(question, text)).toBeGreaterThanOrEqual(0.5);
  });

  it("of a mixed identifier stay together", () => {
    expect(found("SKU1400", "SKU1353 red")).toBeLessThan(0.5);
    expect(termsOf("a3f9c2e1")).toEqual(["a3f9c2e1"]);
  });

  it("keep words that are stop words of another language", () => {
    expect(queryTerms("die casting")).toEqual(termsOf("die casting"));
    expect(queryTerms("Was kostet die Matrize, und wie lange dauert es?")).toEqual(
      queryTerms("kostet Matrize dauert"),
    );
  });
});
