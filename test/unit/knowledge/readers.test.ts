import { describe, expect, it } from "vitest";
import type { DocumentReader } from "../../../src/knowledge/document-text.ts";
import { docxReader } from "../../../src/knowledge/readers/docx-reader.ts";
import { htmlReader } from "../../../src/knowledge/readers/html-reader.ts";
import { pdfReader } from "../../../src/knowledge/readers/pdf-reader.ts";
import { csvReader } from "../../../src/knowledge/readers/csv-reader.ts";
import { jsonReader } from "../../../src/knowledge/readers/json-reader.ts";
import { markdownReader, plainTextReader } from "../../../src/knowledge/readers/text-readers.ts";
import { xlsxReader } from "../../../src/knowledge/readers/xlsx-reader.ts";
import { bombOf, docxOf, pdfOf, xlsxOf } from "../../support/documents.ts";

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

  it("refuses bytes that are no text", async () => {
    await expect(read(plainTextReader, new Uint8Array([0x41, 0xff, 0xc0]))).rejects.toThrow(
      /UTF-8/,
    );
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

  it("of any depth is read", async () => {
    const deep = `${"[".repeat(50_000)}1${"]".repeat(50_000)}`;
    await expect(read(jsonReader, deep, { maxCharacters: 1000 })).rejects.toMatchObject({
      code: "limit_exceeded",
    });
  });

  it("that is none is refused", async () => {
    await expect(read(jsonReader, '{"a":}')).rejects.toThrow(/must be JSON: ./);
  });
});

describe("CSV", () => {
  it("is a line for each row, cells joined by spaces, and each row is known", async () => {
    const { text, marks } = await read(
      csvReader,
      'name,price\r\n"Green, ""fresh""",3\r\n\r\n"two\nlines",4\r\n',
    );
    expect(text).toBe('name price\nGreen, "fresh" 3\n\ntwo lines 4\n');
    expect(marks).toEqual([{ offset: 0, row: 1 }]);
  });

  it("PL2: counts rows as a spreadsheet does, and says where they do not follow on", async () => {
    const { text, marks } = await read(csvReader, `a;1\n${"\n".repeat(10)};;\nb;2\n\nc;3`);
    expect(text).toBe("a 1\nb 2\n\nc 3\n");
    expect(marks).toEqual([
      { offset: 0, row: 1 },
      { offset: 4, row: 13 },
    ]);
  });

  it.each(["a\tb\n1\t2", "a;b\n1;2", "a|b\n1|2", "a,b\n1,2", '"a, x",b\n"1;2;3;4",2'])(
    "finds out that %j has two columns",
    async (csv) => {
      const { text } = await read(csvReader, csv);
      expect(text.replaceAll(/, x|;2;3;4/g, "")).toBe("a b\n1 2\n");
    },
  );

  it("of 100 000 rows is read", async () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => `${index},item ${index}`).join("\n");
    const { text, marks } = await read(csvReader, rows, { maxCharacters: 5_000_000 });
    expect(marks).toHaveLength(1);
    expect(text.split("\n")[99_999]).toBe("99999 item 99999");
  });
});

describe("HTML", () => {
  it("is what the page shows, with headings, without scripts and menus", async () => {
    const { text, format } = await read(
      htmlReader,
      `<html><head><title>T</title><style>p{}</style></head><body><nav><a href="/">Home</a></nav>
       <main><h1>Tea</h1><p>Hot &amp; <b>good</b>.</p><h2>Price</h2><table><tr><th>Sort</th><th>EUR</th></tr><tr><td>Green</td><td>3</td></tr></table>
       <script>alert(1)</script></main></body></html>`,
    );
    expect(format).toBe("markdown");
    expect(text).toMatch(/^# Tea\n\nHot & good\.\n\n## Price\n\nSort +EUR\nGreen +3$/);
  });

  it("of any depth is read", async () => {
    const deep = `${"<div>".repeat(20_000)}x${"</div>".repeat(20_000)}`;
    expect((await read(htmlReader, deep)).text.length).toBeLessThan(100);
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
  ])("that is %s is refused", async (_, bytes, message) => {
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

  it.each([
    ["is no ZIP", new Uint8Array([1, 2, 3]), "invalid_input"],
    ["is a ZIP of something else", xlsxOf({ a: [["x"]] }), "invalid_input"],
    ["unpacks to too much", bombOf(70 * 1024 * 1024), "limit_exceeded"],
  ])("that %s is refused", async (_, bytes, code) => {
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
    expect(text).toBe('sort,price\n"Green, fresh",3\nblack,2.5\n');
    expect(marks).toEqual([
      { offset: 0, sheet: "Tea", row: 1 },
      { offset: 11, sheet: "Tea", row: 2 },
      { offset: 28, sheet: "Coffee", row: 1 },
    ]);
  });

  it.each([
    ["is no ZIP", new Uint8Array([1, 2, 3]), "invalid_input"],
    ["is a ZIP of something else", docxOf("x"), "invalid_input"],
  ])("that %s is refused", async (_, bytes, code) => {
    await expect(read(xlsxReader, bytes)).rejects.toMatchObject({ code });
  });
});
