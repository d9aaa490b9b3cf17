import { describe, expect, it } from "vitest";
import type { DocumentReader } from "../../../src/knowledge/document-text.ts";
import { docxReader } from "../../../src/knowledge/readers/docx-reader.ts";
import { htmlReader } from "../../../src/knowledge/readers/html-reader.ts";
import { pdfReader } from "../../../src/knowledge/readers/pdf-reader.ts";
import { csvReader } from "../../../src/knowledge/readers/csv-reader.ts";
import { jsonReader } from "../../../src/knowledge/readers/json-reader.ts";
import { markdownReader, plainTextReader } from "../../../src/knowledge/readers/text-readers.ts";
import { xlsxReader } from "../../../src/knowledge/readers/xlsx-reader.ts";
import { bookOf, docxOf, docxOfXml, pdfOf, xlsxOf } from "../../support/documents.ts";

const LIMITS = { maxCharacters: 1_000_000 };
const read = (reader: DocumentReader, content: string | Uint8Array, limits = LIMITS) =>
  reader.read(typeof content === "string" ? new TextEncoder().encode(content) : content, limits);

describe("plain text", () => {
  it("is itself, without a byte order mark", async () => {
    expect(await read(plainTextReader, "\uFEFFGrüße")).toEqual({
      text: "Grüße",
      marks: [{ offset: 0, line: 1 }],
    });
    const utf16 = new Uint8Array([0xff, 0xfe, 0x41, 0x00, 0xe9, 0x00]);
    expect((await read(plainTextReader, utf16)).text).toBe("Aé");
  });

  it("DE2: refuses bytes that are no text", async () => {
    for (const bytes of [
      [0x41, 0xff, 0xc0],
      [0, 1, 2, 3],
      [0x89, 0x50, 0x4e, 0x47, 0xd, 0xa, 0x1a],
    ])
      await expect(read(plainTextReader, new Uint8Array(bytes))).rejects.toMatchObject({
        code: "invalid_input",
        message: expect.stringMatching(/must be text.*UTF-8/),
      });
  });

  it.each([plainTextReader, markdownReader, csvReader, jsonReader, htmlReader])(
    "is bounded: $name",
    async (reader) => {
      const content =
        reader === jsonReader ? JSON.stringify("word ".repeat(50)) : "word ".repeat(50);
      await expect(read(reader, content, { maxCharacters: 20 })).rejects.toMatchObject({
        code: "limit_exceeded",
      });
    },
  );
});

describe("JSON", () => {
  it("is lines of keys and items, indented by level", async () => {
    const value = {
      name: "tea",
      price: { eur: 3, vat: null },
      tags: ["hot", { sort: "green" }, []],
    };
    expect((await read(jsonReader, JSON.stringify(value))).text).toBe(
      "name: tea\nprice:\n  eur: 3\n  vat: null\ntags:\n  - hot\n  -\n    sort: green\n  -\n",
    );
  });

  it.each([
    ["its main part", "<body><p>Menu</p><main>Text</main><footer>Imprint</footer></body>", "Text"],
    ["no footer of the page", "<body><p>Text</p><footer>Imprint</footer></body>", "Text"],
    [
      "the footer of an article",
      "<article>Text<footer>By Ada</footer></article>",
      "Text\n\nBy Ada",
    ],
    ["all of a page with an empty main part", "<main></main><p>Text</p>", "Text"],
    ["the contents of a form", "<form><p>Text</p><button>Go</button></form>", "Text"],
    [
      "lists",
      "<ol><li>One<ul><li>in it</ul><li><p>Two</p></ol><p>End",
      "1. One\n  - in it\n2. Two\n\nEnd",
    ],
    [
      "code as it is",
      "<p>Run</p><pre># not a heading\n  npm i</pre>",
      "Run\n\n```\n# not a heading\n  npm i\n```",
    ],
    ["a heading on one line", "<h2>One<br>two</h2>Text", "## One two\n\nText"],
    [
      "cells of paragraphs on one line",
      "<table><tr><td><p>Sort</p><td colspan=9>A&nbsp;b<tr><td>1<td>2</table>",
      "Sort | A b\n1 | 2",
    ],
    ["text outside of every element", "a &lt;b&gt; &#x263A;<li>c", "a <b> ☺\n- c"],
  ])("is %s", async (_, html, text) => {
    expect((await read(htmlReader, html)).text).toBe(text);
  });
});

describe("PDF", () => {
  it("is the text of its pages, and each page is known", async () => {
    const { text, marks } = await read(pdfReader, pdfOf("First page\nsecond line", "Second page"));
    expect(text).toBe("First page\nsecond line\nSecond page\n");
    expect(marks).toEqual([
      { offset: 0, page: 1 },
      { offset: 23, page: 2 },
    ]);
  });

  it.each([
    ["broken", new TextEncoder().encode("%PDF-1.4\nnonsense"), /no readable PDF/],
    ["without text", pdfOf(""), /has no text.*OCR/],
  ])("is refused when it is %s", async (_, bytes, message) => {
    await expect(read(pdfReader, bytes)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(message),
    });
  });
});

describe("DOCX", () => {
  it("is its paragraphs, with headings", async () => {
    const { text, format } = await read(
      docxReader,
      docxOf("# Terms", "Pay in 30 days.", "Or else."),
    );
    expect(text).toBe("# Terms\n\nPay in 30 days.\n\nOr else.");
    expect(format).toBe("markdown");
  });

  it("has lists, tables and notes, without deleted text", async () => {
    const item = (level: number, text: string, list = 1) =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const bytes = docxOfXml(
      `${item(0, "First")}${item(0, "Second")}${item(1, "in it", 2)}
       <w:tbl><w:tr><w:tc><w:p><w:r><w:t>Sort</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>EUR</w:t></w:r></w:p></w:tc></w:tr>
       <w:tr><w:tc><w:p/></w:tc><w:tc><w:tbl><w:tr><w:tc><w:p><w:r><w:t>3</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>
       <w:p><w:del><w:r><w:delText>no</w:delText></w:r></w:del><w:r><w:t>Kept</w:t><w:footnoteReference w:id="2"/></w:r></w:p>
       <mc:AlternateContent><mc:Choice><w:p><w:r><w:t>Box</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>Box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>`,
      {
        numbering:
          '<w:numbering><w:abstractNum w:abstractNumId="5"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num></w:numbering>',
        footnotes:
          '<w:footnotes><w:footnote w:id="0"><w:p/></w:footnote><w:footnote w:id="2"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>',
      },
    );
    expect((await read(docxReader, bytes)).text).toBe(
      "1. First\n2. Second\n  - in it\n\nSort | EUR\n| 3\n\nKept [2]\n\nBox\n\n[2] A note.",
    );
  });

  it.each([
    ["is not a ZIP", new Uint8Array([1, 2, 3]), "invalid_input"],
    ["is a ZIP of something else", xlsxOf({ a: [["x"]] }), "invalid_input"],
    ["has a password", new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), "invalid_input"],
  ])("is refused when it %s", async (_, bytes, code) => {
    await expect(read(docxReader, bytes)).rejects.toMatchObject({ code });
  });
});

describe("XLSX", () => {
  it("is every sheet, a line for each row, and each row is known", async () => {
    const { text, marks } = await read(
      xlsxReader,
      xlsxOf({
        Tea: [
          ["sort", "price"],
          ["Green, fresh", 3],
        ],
        Empty: [],
        Coffee: [["black", 2.5]],
      }),
    );
    expect(text).toBe("sort | price\nsort: Green, fresh | price: 3\nblack | 2.5\n");
    expect(marks).toEqual([
      { offset: 0, sheet: "Tea", row: 1 },
      { offset: 43, sheet: "Coffee", row: 1 },
    ]);
  });

  it("shows cells as people see them", async () => {
    const cells = [
      '<c r="A1" s="1"><v>0.125</v></c><c r="C1" s="2"><v>46023</v></c><c r="D1" s="3"><v>46023.75</v></c>',
      '<c r="A2" s="4"><v>0.5</v></c><c r="B2"><v>0.30000000000000004</v></c><c r="C2" t="b"><v>1</v></c>',
      '<c r="B3" t="s"><v>0</v></c><c r="C3" t="str"><f>A1</f><v>made</v></c><c r="D3" t="e"><v>#DIV/0!</v></c>',
    ];
    const book = bookOf(
      cells.map((each, index) => `<row r="${index + 1}">${each}</row>`).join(""),
      {
        "xl/sharedStrings.xml":
          '<sst><si><r><t>two</t></r><r><t xml:space="preserve">\nlines</t></r><rPh><t>x</t></rPh></si></sst>',
        "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="dd/mm/yyyy\\ hh:mm;@"/></numFmts>
          <cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="10"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="20"/></cellXfs></styleSheet>`,
      },
    );
    expect((await read(xlsxReader, book)).text).toBe(
      "12.50% | 2026-01-01 | 2026-01-01 18:00\n12:00 | 0.3 | true\ntwo lines | made | #DIV/0!\n",
    );
  });

  it("PL2: of two cells far apart is two rows", async () => {
    const book = bookOf(
      '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>',
    );
    const { text, marks } = await read(xlsxReader, book);
    expect(text).toBe("1\n2\n");
    expect(marks.map(({ row }) => row)).toEqual([1, 1_048_576]);
  });

  it("RZ2: a truncated file is reported as such", async () => {
    const whole = xlsxOf({ Tea: [["sort", "price"]] });
    for (const length of [whole.length - 1, whole.length - 30, Math.floor(whole.length / 2), 100])
      await expect(read(xlsxReader, whole.slice(0, length))).rejects.toMatchObject({
        code: "invalid_input",
        message: expect.stringMatching(/the XLSX is broken or was cut off/),
      });
  });

  it.each([
    ["is not a ZIP", new Uint8Array([1, 2, 3]), "invalid_input"],
    ["is a ZIP of something else", docxOf("x"), "invalid_input"],
  ])("is refused when it %s", async (_, bytes, code) => {
    await expect(read(xlsxReader, bytes)).rejects.toMatchObject({ code });
  });
});
