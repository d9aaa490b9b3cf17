// Text of PDFs in the order of reading, with the values of forms, and a report of the rest.
import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { DocumentText } from "../../../../src/knowledge/document-text.ts";
import { usualLetters } from "../../../../src/knowledge/readers/pdf-letters.ts";
import { readingOrder } from "../../../../src/knowledge/readers/pdf-order.ts";
import { pdfReader } from "../../../../src/knowledge/readers/pdf-reader.ts";
import { pdfOfObjects, pdfStream } from "../../../support/documents.ts";

const read = (bytes: Uint8Array): Promise<DocumentText> =>
  pdfReader.read(bytes, { maxCharacters: 4_000_000 });
const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../../fixtures/printed/${name}`, import.meta.url)));
const source = (name: string): string => new TextDecoder().decode(fixture(name));

type Page = { readonly content: string; readonly more?: string };

/** Returns a PDF of pages with these contents; further objects begin at number 10. */
function pagesOf(pages: readonly Page[], more: readonly (string | Uint8Array)[] = []): Uint8Array {
  const first = 10 + more.length;
  const kids = pages.map((_, index) => `${first + 2 * index} 0 R`);
  return pdfOfObjects([
    "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [] >> >>",
    `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...Array.from({ length: 6 }, () => "null"),
    ...more,
    ...pages.flatMap(({ content, more: dictionary = "" }, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> /XObject << /X1 10 0 R >> >> /Contents ${first + 2 * index + 1} 0 R ${dictionary} >>`,
      pdfStream("/Filter /FlateDecode", deflateSync(content)),
    ]),
  ]);
}

const at = (x: number, y: number, text: string): string =>
  `BT /F1 12 Tf 1 0 0 1 ${x} ${y} Tm (${text}) Tj ET `;

/** Words of a text, without the separators of cells, and without joiners, which have no glyph on a page. */
const words = (text: string): string[] =>
  text
    .replaceAll("\u200c", "")
    .split(/[\s|•◦]+/)
    .filter((word) => word !== "");

describe("printed pages", () => {
  it.each(["ar", "fa", "he", "ja", "zh", "th"])(
    "of %s have the words of the page",
    async (name) => {
      const { text, losses } = await read(fixture(`${name}.pdf`));
      const expected = source(`${name}.txt`);
      // A telephone number is broken at its hyphen, at the end of a line.
      const broken = /\S*1234567\S*/g;
      const found = new Set(words(text.replaceAll(/-03|\.?1234567\.?/g, "")));
      const missing = words(expected.replaceAll(broken, "")).filter((word) => !found.has(word));
      expect(missing).toEqual([]);
      expect(losses).toBeUndefined();
    },
  );

  it("of Hindi have all letters, with few wrong spaces", async () => {
    const { text } = await read(fixture("hi.pdf"));
    const expected = source("hi.txt");
    const letters = (each: string): string => words(each).join("");
    expect(letters(text)).toBe(letters(expected));
    const found = new Set(words(text));
    const missing = words(expected).filter((word) => !found.has(word));
    expect(missing.length).toBeLessThan(0.1 * words(expected).length);
  });

  it("have a line for each row of a table, with its cells apart", async () => {
    expect((await read(fixture("zh.pdf"))).text).toContain("商品 | 价格\n水壶 | 人民币 320 元\n");
    expect((await read(fixture("he.pdf"))).text).toContain("פריט | מחיר\n");
  });
});

describe("readingOrder", () => {
  /** Places words from left to right, with a space between them. */
  const order = (line: readonly string[], isRight: boolean): string => {
    const pieces = line.map((text, index) => ({
      text,
      x: index * 50,
      end: index * 50 + 45,
      size: 12,
      isActual: false,
    }));
    return readingOrder(pieces, isRight);
  };

  it.each([
    ["a number within", ["שקלים", "250", "הוא", "מחיר"], "מחיר הוא 250 שקלים"],
    ["a date and a full stop", [".31.12.2026", "עד"], "עד 31.12.2026."],
    ["two Latin words", ["היום", "Example", "Store", "חנות"], "חנות Example Store היום"],
    ["a Latin word with a number", ["חדש", "iPhone", "15", "טלפון"], "טלפון iPhone 15 חדש"],
    ["a price with its sign", ["בלבד", "₪ 25.50", "עולה"], "עולה 25.50 ₪ בלבד"],
  ])("reads from the right with %s", (_, line, expected) => {
    expect(order(line, true)).toBe(expected);
  });

  it("reads right-to-left words within a left-to-right line", () => {
    expect(order(["The", "word", "עולם", "שלום", "means", "hello"], false)).toBe(
      "The word שלום עולם means hello",
    );
  });

  it("mirrors brackets that are named by their shape", () => {
    expect(order(["(", "מע", "כולל", ")"], true)).toBe("( כולל מע )");
    expect(order([")", "מע", "כולל", "("], true)).toBe("( כולל מע )");
  });
});

it("letters have their usual form, and characters of another meaning stay", () => {
  expect(usualLetters("⼆百五⼗円 ⻑い ⺠ ﷲ ﻻ ﬁne 10² ½ …")).toBe(
    "二百五十円 長い 民 الله لا fine 10² ½ …",
  );
});

describe("marked content", () => {
  const span = (text: string, shown: string): string =>
    `/Span<</ActualText ${text}>> BDC (${shown}) Tj EMC `;
  const line = (inside: string): string => `BT /F1 12 Tf 72 700 Td ${inside} ET `;

  it.each([
    ["UTF-16", "<FEFF0915093F>", "कि"],
    ["a literal", "(a\\)b\\101)", "a)bA"],
    ["UTF-16 in a literal", "(\\376\\377\\011\\025)", "क"],
  ])("has its own text instead of its glyphs, as %s", async (_, actual, expected) => {
    const { text } = await read(
      pagesOf([{ content: line(`(x) Tj ${span(actual, "??")} (z) Tj`) }]),
    );
    expect(text).toBe(`x${expected}z\n`);
  });

  it("is found in pieces that are painted twice", async () => {
    const form = pdfStream(
      "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>",
      Buffer.from(line(span("<FEFF4E8C>", "?"))),
    );
    const content = `/X1 Do q 1 0 0 1 0 -40 cm /X1 Do Q ${line(`0 -80 Td ${span("(end)", "?")}`)}`;
    expect((await read(pagesOf([{ content }], [form]))).text).toBe("二\n二\nend\n");
  });

  it("of another number than the library's is not used", async () => {
    const content = `${line(span("(own)", "shown"))} BI /W 1 /H 1 /BPC 8 /CS /G ID /A<</ActualText (x)>> BDC EI ${line(`0 -40 Td ${span("(other)", "second")}`)}`;
    expect((await read(pagesOf([{ content }]))).text).toBe("own\nother\n");
  });
});

describe("fields of a form", () => {
  const widget = (rect: string, more: string): string =>
    `<< /Type /Annot /Subtype /Widget /F 4 /Rect [${rect}] ${more} >>`;
  const tick = (rect: string, value: string): string =>
    widget(
      rect,
      `/FT /Btn /T (t${rect}) /V /${value} /AS /${value} /AP << /N << /Yes 10 0 R >> >>`,
    );
  const fields = [
    pdfStream("/Type /XObject /Subtype /Form /BBox [0 0 9 9]", Buffer.from("")),
    widget("120 695 300 715", "/FT /Tx /T (form.name[0]) /V (Ada Lovelace)"),
    tick("72 655 84 667", "Yes"),
    tick("72 635 84 647", "Off"),
    widget(
      "72 600 300 620",
      "/FT /Ch /Ff 131072 /T (plan) /TU (Plan of payment) /Opt [[(p) (Pro)] [(f) (Free)]] /V (p)",
    ),
    widget("72 560 300 580", "/FT /Tx /Ff 8192 /T (password) /V (secret)"),
    widget("72 540 300 560", "/FT /Tx /F 2 /T (unseen) /V (secret)"),
    "<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (Reviewer says no) >>",
    "<< /Type /Annot /Subtype /FreeText /F 4 /Rect [72 500 300 520] /DA (/F1 9 Tf) /Contents (Typed onto it) >>",
  ];
  const annotations = fields.slice(1).map((_, index) => `${11 + index} 0 R`);
  const more = `/Annots [${annotations.join(" ")}]`;
  const labels = at(72, 700, "Name:") + at(90, 658, "I agree") + at(90, 638, "Send news");

  it("are beside their labels; hidden ones and comments are reported", async () => {
    const { text, losses } = await read(pagesOf([{ content: labels, more }], fields));
    expect(text.split("\n").map((each) => each.replaceAll(/\s+/g, " "))).toEqual([
      "Name: Ada Lovelace",
      "[x] I agree",
      "[ ] Send news",
      "Plan of payment: Pro",
      "Typed onto it",
      "",
    ]);
    expect(text).not.toContain("secret");
    expect(losses).toMatchObject([
      { kind: "hidden", count: 2, place: { page: 1 } },
      { kind: "comment", count: 1, detail: expect.stringContaining("Reviewer says no") },
    ]);
  });

  it("without any printed text are the text of the document", async () => {
    const { text } = await read(pagesOf([{ content: "", more }], fields));
    expect(text).toContain("name: Ada Lovelace\n");
  });
});

describe("pages", () => {
  const body = (page: number): string => at(72, 400, `Rule ${page} is new`);

  it("have headers and footers once, and the report names the others", async () => {
    const pages = Array.from({ length: 6 }, (_, index) => ({
      content: at(72, 770, "Handbook 2026") + body(index) + at(300, 20, `Page ${index + 1}`),
    }));
    const { text, marks, losses } = await read(pagesOf(pages));
    expect(text.match(/Handbook/g)).toHaveLength(1);
    expect(text).toContain("Rule 5 is new");
    expect(marks.map(({ page }) => page)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(losses).toMatchObject([{ kind: "repeated", count: 10, place: { page: 2 } }]);
  });

  it("keep repeated lines outside of the margins, and a page of such lines alone", async () => {
    const inside = Array.from({ length: 6 }, () => ({ content: at(72, 600, "Total") }));
    expect((await read(pagesOf(inside))).text.match(/Total/g)).toHaveLength(6);
    const alone = Array.from({ length: 6 }, (_, index) => ({
      content: at(72, 770, `Page ${index}`),
    }));
    expect((await read(pagesOf(alone))).text).toContain("Page 5");
  });

  it("without text, pictures and attachments are reported", async () => {
    const picture = pdfStream(
      "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8",
      Buffer.from("x"),
    );
    const file = pdfStream("/Type /EmbeddedFile", Buffer.from("hello"));
    const pages = [{ content: body(1) }, { content: "q 9 0 0 9 0 0 cm /X1 Do Q" }];
    const { losses } = await read(pagesOf(pages, [picture, file]));
    expect(losses).toMatchObject([
      { kind: "picture", count: 1 },
      { kind: "page_without_text", count: 1, place: { page: 2 } },
      { kind: "embedded_file", count: 1 },
    ]);
  });

  it("with fonts of East Asian lists are reported", async () => {
    const font = "<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin /Encoding /90ms-RKSJ-H >>";
    const identity = "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H >>";
    const { losses } = await read(pagesOf([{ content: body(1) }], [font, identity]));
    expect(losses).toMatchObject([
      { kind: "font", count: 1, detail: expect.stringContaining("90ms-RKSJ-H") },
    ]);
  });

  it("join words across lines, as far as the document shows how it divides words", async () => {
    const lines = (...texts: readonly string[]): string =>
      texts.map((text, index) => at(72, 700 - 14 * index, text)).join("");
    const divided = lines("All infor-", "mation is for custo-", "mers, as information is");
    expect((await read(pagesOf([{ content: divided }]))).text).toBe(
      "All information is for customers, as information is\n",
    );
    const whole = lines("A well-", "known rule", ...Array.from({ length: 60 }, () => "of ours"));
    expect((await read(pagesOf([{ content: whole }]))).text).toContain("A well-known rule\n");
  });

  it("have the cells of a row apart, and no cells in justified blocks", async () => {
    const table = [700, 686, 672].map(
      (y, row) => at(72, y, `Item ${row}`) + at(140, y, `${row}0`) + at(180, y, "EUR"),
    );
    expect((await read(pagesOf([{ content: table.join("") }]))).text).toContain(
      "Item 1 | 10 | EUR\n",
    );
  });
});
