import { describe, expect, it } from "vitest";
import { foldText, isSameName, nameForm } from "../../../src/text/index.ts";

describe("folding", () => {
  it.each([
    ["full-width and half-width forms", "ＡＢＣ１２３ ｶﾞ", "abc123 ガ"],
    ["presentation forms", "ﬁne ⼆百五⼗円", "fine 二百五十円"],
    ["composed and decomposed accents", "Cafe\u0301 Café", "cafe cafe"],
    [
      "case beyond ASCII",
      "STRASSE straße ΟΔΟΣ οδος İstanbul ΙSTANBUL",
      "strasse strasse οδοσ οδοσ istanbul ιstanbul",
    ],
    ["letters without decomposition", "Łódź Ærø Đà Nẵng œuvre", "lodz aero da nang oeuvre"],
    ["accents of Greek and Cyrillic", "Τιμή й ё", "τιμη и е"],
    ["points of Hebrew", "שָׁלוֹם", "שלום"],
    ["short vowels and forms of Arabic", "الْمُنْتَجُ أحمد مدرسة ســعر", "المنتج احمد مدرسه سعر"],
    ["dots of Devanagari", "क़ीमत", "कीमत"],
    ["digits of other scripts", "٢٥٠ ۲۵۰ २५० ๒๕๐", "250 250 250 250"],
    ["invisible characters", "soft\u00adware\u200d \ufeffx", "software x"],
    ["spaces of no width", "ราคา\u200bสินค้า", "ราคา สินค้า"],
    ["spaces within numbers", "1\u202f500 1\u00a0500\u00a0000", "1,500 1,500,000"],
    ["signs of trade marks", "Edgecrew™", "edgecrew "],
  ])("TXF1: brings %s to one form", (_, text, folded) => {
    expect(foldText(text)).toBe(folded);
  });

  it.each(["कीमत", "คืนสินค้า", "가격은", "が", "ガ", "தமிழ்", "বাংলা"])("keeps %s", (text) => {
    expect(foldText(text)).toBe(text.normalize("NFKC"));
    expect(foldText(text.normalize("NFD"))).toBe(text.normalize("NFKC"));
  });

  it("TXF2: folds folded text to itself", () => {
    for (const text of ["Straße ΟΔΟΣ İ ﷺ ①½", "क़ीमत ٢٥٠ ｶﾞ", "L’été — 1 500 €"])
      expect(foldText(foldText(text))).toBe(foldText(text));
  });
});

describe("names", () => {
  it.each([
    ["Straße", "STRASSE"],
    ["ＡＢＣ", "abc"],
    ["Cafe\u0301", "CAFÉ"],
    ["İpek", "ipek"],
    ["ΟΔΟΣ", "οδος"],
    [" Data  Analyst\n", "data analyst"],
    ["研究\u200b者", "研究 者"],
  ])("%s is %s", (one, other) => {
    expect(isSameName(one, other)).toBe(true);
  });

  it("differ by their accents and letters", () => {
    expect(isSameName("resume", "résumé")).toBe(false);
    expect(isSameName("が", "か")).toBe(false);
    expect(nameForm("Łódź")).toBe("łódź");
  });
});
