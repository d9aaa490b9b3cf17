// Text of Word documents as Word shows it, with a report of the rest.
import { describe, expect, it } from "vitest";
import type { DocumentText } from "../../../../src/knowledge/document-text.ts";
import { docxReader } from "../../../../src/knowledge/readers/docx-reader.ts";
import { letterNumber, romanNumber } from "../../../../src/knowledge/readers/list-numbers.ts";
import { docxOfXml } from "../../../support/documents.ts";

const read = (body: string, parts: Readonly<Record<string, string>> = {}): Promise<DocumentText> =>
  docxReader.read(docxOfXml(body, parts), { maxCharacters: 100_000 });
const textOf = async (body: string, parts: Readonly<Record<string, string>> = {}) =>
  (await read(body, parts)).text;
const run = (text: string, properties = ""): string =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (inside: string, properties = ""): string =>
  `<w:p><w:pPr>${properties}</w:pPr>${inside}</w:p>`;
const detailsOf = async (body: string, parts: Readonly<Record<string, string>> = {}) =>
  ((await read(body, parts)).losses ?? []).map(({ detail }) => detail);

describe("letters", () => {
  const styles =
    '<w:styles><w:style w:styleId="Base"><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId="Secret"><w:basedOn w:val="Base"/></w:style></w:styles>';

  it("are left out if they are hidden, by themselves or by a style", async () => {
    const body =
      p(run("seen ") + run("h1", "<w:vanish/>") + run("too", '<w:vanish w:val="0"/>')) +
      p(run("h2", '<w:rStyle w:val="Secret"/>')) +
      p(run("h3"), '<w:pStyle w:val="Secret"/>') +
      p(run("mark of the paragraph alone"), "<w:rPr><w:vanish/></w:rPr>");
    const { text, losses } = await read(body, { styles });
    expect(text).toBe("seen too\n\nmark of the paragraph alone");
    expect(losses).toEqual([
      { kind: "hidden", count: 3, detail: "3 hidden texts, left out: h1, h2, h3" },
    ]);
  });

  it("of symbol fonts are the characters that they show", async () => {
    const sym = (font: string, char: string): string =>
      `<w:r><w:sym w:font="${font}" w:char="${char}"/></w:r>`;
    const body = p(
      sym("Symbol", "F061") +
        sym("Wingdings", "F0FC") +
        run("\uf0b7", '<w:rFonts w:ascii="Symbol"/>') +
        sym("Arial", "00E9") +
        sym("Webdings", "F04E"),
    );
    const { text, losses } = await read(body);
    expect(text).toBe("α✓•é");
    expect(losses).toMatchObject([
      { kind: "symbol", detail: "1 symbol of an unknown font: Webdings F04E" },
    ]);
  });

  it("with readings have them once, after the word", async () => {
    const ruby = (base: string, reading: string): string =>
      `<w:r><w:ruby><w:rt>${run(reading)}</w:rt><w:rubyBase>${run(base)}</w:rubyBase></w:ruby></w:r>`;
    expect(await textOf(p(ruby("東", "とう") + ruby("京", "きょう") + run("に行く")))).toBe(
      "東京(とうきょう)に行く",
    );
  });

  it("of formulas have the signs between their parts", async () => {
    const part = (name: string, text: string): string => `<m:${name}>${run(text)}</m:${name}>`;
    const fraction = `<m:f>${part("num", "a")}${part("den", "b")}</m:f>`;
    const power = `<m:sSup>${part("e", "x")}${part("sup", "2")}</m:sSup>`;
    const formula = `<m:oMath>${fraction}${run("+")}${power}</m:oMath>`;
    expect(await textOf(p(formula))).toBe("a/b+x^2");
  });

  it("of deleted paragraphs' ends are one paragraph", async () => {
    const body =
      p(run("First half "), "<w:rPr><w:del/></w:rPr>") +
      p(run("second half.") + "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>") +
      p(run("Next."));
    const { text, losses } = await read(body);
    expect(text).toBe("First half second half.\n\nNext.");
    expect(losses).toEqual([{ kind: "deleted", count: 1, detail: "1 deleted text, left out" }]);
  });
});

describe("numbers", () => {
  const level = (at: number, format: string, text: string): string =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
  const numbering = `<w:numbering><w:abstractNum w:abstractNumId="7">${level(0, "decimal", "%1")}${level(1, "decimal", "%1.%2")}${level(2, "lowerLetter", "%3)")}</w:abstractNum><w:abstractNum w:abstractNumId="8">${level(0, "bullet", "•")}${level(1, "upperRoman", "%2.")}${level(2, "none", "")}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num><w:num w:numId="3"><w:abstractNumId w:val="8"/></w:num></w:numbering>`;
  const item = (list: number, at: number, text: string): string =>
    p(run(text), `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${list}"/></w:numPr>`);

  it("of items are those of their levels, and begin anew below a new item", async () => {
    const body = [
      item(1, 0, "a"),
      item(1, 1, "b"),
      item(1, 1, "c"),
      item(1, 2, "d"),
      item(1, 0, "e"),
      item(1, 1, "f"),
      item(2, 0, "g"),
      item(3, 0, "h"),
      item(3, 1, "i"),
    ].join("");
    expect(await textOf(body, { numbering })).toBe(
      "1 a\n  1.1 b\n  1.2 c\n    a) d\n2 e\n  2.1 f\n5 g\n- h\n  I. i",
    );
  });

  it("of headings come from their styles", async () => {
    const styles =
      '<w:styles><w:style w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style><w:style w:styleId="H2"><w:name w:val="heading 2"/><w:basedOn w:val="H1"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr></w:style></w:styles>';
    const body =
      p(run("Scope"), '<w:pStyle w:val="H1"/>') +
      p(run("Goods"), '<w:pStyle w:val="H2"/>') +
      p(run("Text"), '<w:numPr><w:numId w:val="0"/></w:numPr>');
    expect(await textOf(body, { numbering, styles })).toBe("# 1 Scope\n\n## 1.1 Goods\n\nText");
  });

  it("are letters and Roman numerals", () => {
    expect([1, 26, 27, 702, 703].map(letterNumber)).toEqual(["a", "z", "aa", "zz", "aaa"]);
    expect([4, 1994, 3999, 4000].map(romanNumber)).toEqual(["IV", "MCMXCIV", "MMMCMXCIX", "4000"]);
  });
});

it("cells over several rows and columns stand in each row", async () => {
  const cell = (text: string, properties = ""): string =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${p(text === "" ? "" : run(text))}</w:tc>`;
  const row = (...cells: readonly string[]): string => `<w:tr>${cells.join("")}</w:tr>`;
  const table = `<w:tbl>${row(cell("Region", '<w:gridSpan w:val="2"/>'), cell("Q1"))}${row(
    cell("North", '<w:vMerge w:val="restart"/>'),
    cell("a"),
    cell("1"),
  )}${row(cell("", "<w:vMerge/>"), cell("b"), cell("2"))}${row(cell("South"), cell(""), cell("3"))}</w:tbl>`;
  expect(await textOf(table)).toBe("Region | | Q1\nNorth | a | 1\nNorth | b | 2\nSouth | | 3");
});

it("fields of old forms have their values", async () => {
  const box = (inside: string): string =>
    `<w:r><w:fldChar w:fldCharType="begin"><w:ffData>${inside}</w:ffData></w:fldChar></w:r>`;
  const body = p(
    `${box('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>')}${run(" yes ")}${box('<w:checkBox><w:default w:val="0"/></w:checkBox>')}${run(" no ")}${box('<w:ddList><w:result w:val="1"/><w:listEntry w:val="Free"/><w:listEntry w:val="Pro"/></w:ddList>')}`,
  );
  expect(await textOf(body)).toBe("[x] yes [ ] no Pro");
});

describe("LOS2: the report", () => {
  const drawing = (attributes: string, inside: string): string =>
    `<w:r><w:drawing><wp:inline><wp:docPr id="1" ${attributes}/>${inside}</wp:inline></w:drawing></w:r>`;

  it("names pictures and charts without a text", async () => {
    const body = p(
      drawing('name="Picture 1" descr="A red kettle"', "<pic:pic/>") +
        drawing('name="Picture 2"', "<pic:pic/>") +
        drawing('name="Chart 1"', "<c:chart/>") +
        drawing(
          'name="Box 1"',
          `<wps:txbx><w:txbxContent>${p(run("boxed"))}</w:txbxContent></wps:txbx>`,
        ) +
        '<w:r><w:object><v:imagedata/><o:OLEObject ProgID="Excel.Sheet.12"/></w:object></w:r>',
    );
    const { text } = await read(body);
    expect(text).toContain("[image: A red kettle]");
    expect(text).toContain("boxed");
    expect(await detailsOf(body)).toEqual([
      "1 picture without text: Picture 2",
      "1 chart without text: Chart 1",
      "1 embedded file: Excel.Sheet.12",
    ]);
  });

  it("names comments, headers and macros", async () => {
    const parts = {
      comments: `<w:comments><w:comment>${p(run("Reviewer says no"))}</w:comment></w:comments>`,
      header: `<w:hdr>${p(run("CONFIDENTIAL"))}</w:hdr>`,
      vbaProject: "<x/>",
    };
    expect(await detailsOf(p(run("body")), parts)).toEqual([
      "1 file of macros",
      "1 comment, left out: Reviewer says no",
      "1 line of a page's margin, left out: CONFIDENTIAL",
    ]);
  });

  it("has no entry for a plain document", async () => {
    expect((await read(p(run("body")))).losses).toBeUndefined();
  });
});
