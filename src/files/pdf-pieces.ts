import { EngineError, errorMessage } from "../base/error.ts";

/**
 * Splits a PDF into several of at most `maxPages` pages. Needs `pdf-lib`, which the first call loads. Throws
 * `invalid_input` for a PDF that cannot be split.
 */
export async function splitPdf(
  bytes: Uint8Array,
  maxPages: number,
): Promise<readonly Uint8Array[]> {
  const { PDFDocument } = await import("pdf-lib");
  try {
    const whole = await PDFDocument.load(bytes, { updateMetadata: false });
    const count = whole.getPageCount();
    const pieces: Uint8Array[] = [];
    for (let from = 0; from < count; from += maxPages) {
      const indices = Array.from(
        { length: Math.min(maxPages, count - from) },
        (_, at) => from + at,
      );
      const piece = await PDFDocument.create();
      for (const page of await piece.copyPages(whole, indices)) piece.addPage(page);
      pieces.push(await piece.save());
    }
    return pieces;
  } catch (error) {
    throw new EngineError("invalid_input", `the PDF cannot be taken apart: ${errorMessage(error)}`);
  }
}
