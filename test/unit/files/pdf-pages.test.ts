import { zlibSync } from "fflate";
import { PDFDocument } from "pdf-lib";
import { describe, expect, it } from "vitest";
import { pdfPages } from "../../../src/files/detection/pdf-pages.ts";
import { bytesOf, pdfBytes } from "../../support/sample-files.ts";

describe("the pages of a PDF", () => {
  it.each([1, 7, 120])("are counted: %i", async (pages) => {
    expect(await pdfPages(pdfBytes(pages))).toBe(pages);
  });

  it("are counted in a packed tree, as in current programs' files", async () => {
    const document = await PDFDocument.create();
    for (let page = 0; page < 130; page++) document.addPage();
    const bytes = await document.save({ useObjectStreams: true });
    expect(new TextDecoder("latin1").decode(bytes)).not.toContain("/Pages");
    expect(await pdfPages(bytes)).toBe(130);
  });

  it("are those of the whole tree, not of a branch or of the outlines", async () => {
    const text = `%PDF-1.4
1 0 obj << /Type /Outlines /Count 999 >> endobj
2 0 obj << /Count 40 /Kids [ 3 0 R ] /Type /Pages >> endobj
3 0 obj << /Type /Pages /Kids [] /Count 25 /Parent 2 0 R >> endobj
4 0 obj << /Type /PagesOfOthers /Count 500 >> endobj`;
    expect(await pdfPages(bytesOf(text))).toBe(40);
  });

  it("are unknown when the file does not contain their number", async () => {
    expect(await pdfPages(bytesOf("%PDF-1.4 nothing"))).toBeUndefined();
    expect(
      await pdfPages(bytesOf("%PDF-1.4 << /Type /ObjStm >> stream\nbroken\nendstream")),
    ).toBeUndefined();
  });

  it("are searched in a bounded part of packed data", async () => {
    const bomb = zlibSync(new Uint8Array(40 * 1024 * 1024));
    const bytes = bytesOf(
      "%PDF-1.5\n<< /Type /ObjStm >> stream\n",
      bomb,
      "\nendstream",
      "\n<< /Type /ObjStm >> stream\n",
      zlibSync(bytesOf("<< /Type /Pages /Count 3 >>")),
      "\nendstream",
    );
    expect(await pdfPages(bytes)).toBeUndefined();
  });
});
